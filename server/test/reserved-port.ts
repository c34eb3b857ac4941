import { createServer } from 'node:net';

/** Below what systems hand out to those who ask for any port (from 32768 on Linux). */
const [LOWEST, COUNT] = [20_000, 12_000];
/** Ports of one process before they are those of the next. */
const OF_A_PROCESS = 16;

let reserved = 0;

/**
 * A port of loopback for what is started later, or again and again at one address: a free port that the system gave may
 * be given to another process before that.
 */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + ((process.pid * OF_A_PROCESS + reserved++) % COUNT);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
