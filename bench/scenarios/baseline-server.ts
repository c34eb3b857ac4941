// The baseline for frequent reads: bare node:http that sends prepared bytes with the headers of
// real responses. `node baseline-server.ts FILE`: the file begins with a line of JSON that contains
// the headers and the length of each body; the bodies follow. The server sends them in turn,
// because a single body would stay in the processor's cache, unlike the bodies of a hundred shops.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { PreparedResponses } from './hot-request.ts';

const file = readFileSync(process.argv[2] ?? '');
const end = file.indexOf('\n');
// hot-request.ts wrote it.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const { headers, lengths } = JSON.parse(file.toString('utf8', 0, end)) as PreparedResponses;
let at = end + 1;
const responses = lengths.map((length) => {
  const body = Buffer.from(file.subarray(at, (at += length)));
  return { headers: [...headers, 'content-length', String(length)], body };
});
let nextIndex = 0;

const server = createServer({ keepAliveTimeout: 72_000 }, (_request, reply) => {
  nextIndex = (nextIndex + 1) % responses.length;
  const response = responses[nextIndex];
  reply.writeHead(200, response?.headers);
  reply.end(response?.body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) console.log(`ready ${address.port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
