import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { errorCodeOf } from './describe-error.ts';

/** The range ends below the ephemeral ports that the system assigns (from 32768 on Linux). */
const [LOWEST, HIGHEST] = [20_000, 32_767];
const TRIES_MAX = 100;

/** Finds a free port, for servers that must know their address before they listen. */
export async function findFreePort(host = '127.0.0.1'): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = randomInt(LOWEST, HIGHEST + 1);
    try {
      await listenOnce(host, port);
      return port;
    } catch (error) {
      if (errorCodeOf(error) !== 'EADDRINUSE' || tries === TRIES_MAX) throw error;
    }
  }
}

async function listenOnce(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}
