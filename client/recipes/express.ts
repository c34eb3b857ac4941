import { nodeNoticeHandler } from '@cardport/client/node';
import express from 'express';

const { WEBHOOK_SECRET = '' } = process.env;
const takeNotice = nodeNoticeHandler({
  secret: WEBHOOK_SECRET,
  onNotice: () => console.log('read the feed'),
});

export const app = express();
// Comes before express.json(), because the signature covers the raw bytes of the body.
app.post('/hook', takeNotice);
app.use(express.json());
