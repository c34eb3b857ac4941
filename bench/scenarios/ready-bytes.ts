// The limit of the hot answers: bare node:http that sends ready bytes with the headers of a real answer, and does nothing
// else. `node ready-bytes.ts FILE`: headers as JSON in the first line, then the body.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const file = readFileSync(process.argv[2] ?? '');
const end = file.indexOf('\n');
const headers: unknown = JSON.parse(file.toString('utf8', 0, end));
if (!Array.isArray(headers)) throw new Error('no headers');
const flat = headers.map(String);
const body = file.subarray(end + 1);

const server = createServer({ keepAliveTimeout: 72_000 }, (_request, response) => {
  response.writeHead(200, flat);
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) console.log(`ready ${address.port}`);
});
process.once('SIGTERM', () => {
  server.close();
  server.closeAllConnections();
});
