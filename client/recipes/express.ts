import { nodeNoticeHandler } from '@cardport/client/node';
import express from 'express';

const { WEBHOOK_SECRET = '' } = process.env;
const takeNotice = nodeNoticeHandler({
  secret: WEBHOOK_SECRET,
  onNotice: () => console.log('read the feed'),
});

export const app = express();
// Before express.json(): the signature is of the bytes as they came.
app.post('/hook', takeNotice);
app.use(express.json());
