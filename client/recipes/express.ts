import { nodeNoticeHandler } from '@cardport/client/node';
import express from 'express';

const { WEBHOOK_SECRET = '' } = process.env;
const handleNotice = nodeNoticeHandler({
  secret: WEBHOOK_SECRET,
  onNotice: () => console.log('read the feed'),
});

export const app = express();
// Register it before express.json(), because the signature covers the raw bytes.
app.post('/hook', handleNotice);
app.use(express.json());
