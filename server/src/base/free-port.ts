import { createServer } from 'node:net';

/**
 * A port of `host` that nobody has now, for what must know its address before it listens. Rejects where this machine does
 * not have the address.
 */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
