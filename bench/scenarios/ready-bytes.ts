// The limit of the hot answers: bare node:http that sends ready bytes with the headers of real answers, and does nothing
// else. `node ready-bytes.ts FILE`: a line of JSON with the headers and the length of each body, then the bodies. They are
// sent in turn: one body for all would lie in the processor's cache, where those of a hundred shops never are.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { ReadyBytes } from './hot-answer.ts';

const file = readFileSync(process.argv[2] ?? '');
const end = file.indexOf('\n');
// Written by hot-answer.ts.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const { headers, lengths } = JSON.parse(file.toString('utf8', 0, end)) as ReadyBytes;
let at = end + 1;
const answers = lengths.map((length) => {
  const body = Buffer.from(file.subarray(at, (at += length)));
  return { headers: [...headers, 'content-length', String(length)], body };
});
let turn = 0;

const server = createServer({ keepAliveTimeout: 72_000 }, (_request, response) => {
  turn = (turn + 1) % answers.length;
  const answer = answers[turn];
  response.writeHead(200, answer?.headers);
  response.end(answer?.body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) console.log(`ready ${address.port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
