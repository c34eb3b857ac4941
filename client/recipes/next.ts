// app/hook/route.ts
import { noticeHandler } from '@cardport/client';

const { WEBHOOK_SECRET = '' } = process.env;

export const POST = noticeHandler({
  secret: WEBHOOK_SECRET,
  onNotice: () => console.log('read the feed'),
});
