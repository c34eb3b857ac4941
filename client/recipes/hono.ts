import { noticeHandler } from '@cardport/client';
import { Hono } from 'hono';

const { WEBHOOK_SECRET = '' } = process.env;
const handleNotice = noticeHandler({
  secret: WEBHOOK_SECRET,
  onNotice: () => console.log('read the feed'),
});

export const app = new Hono();
app.post('/hook', (context) => handleNotice(context.req.raw));
