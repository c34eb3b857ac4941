import { createServer } from 'node:http';
import { nodeNoticeHandler } from '@cardport/client/node';

const { WEBHOOK_SECRET = '' } = process.env;
const handleNotice = nodeNoticeHandler({
  secret: WEBHOOK_SECRET,
  onNotice: () => console.log('read the feed'),
});

export const server = createServer((request, response) => {
  if (request.url === '/hook') handleNotice(request, response);
  else response.writeHead(404).end();
});
