import { createServer, type IncomingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/** A POST request that the receiver got. */
export interface ReceivedRequest {
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
}

export interface HookReceiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly ReceivedRequest[];
  /** Sets the status of later responses, which are sent after `holdMs` (default 0). */
  respondWith(status: number, holdMs?: number): void;
}

/** Starts a receiver. It responds with 204 by default. */
export async function startHookReceiver(): Promise<HookReceiver> {
  const received: ReceivedRequest[] = [];
  let [status, holdMs] = [204, 0];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers } = request;
      // The timer does not keep the process alive, because the test may end before the response.
      const held = wait(holdMs, undefined, { ref: false });
      const answered = status;
      received.push({ body: Buffer.concat(chunks).toString('utf8'), headers });
      void held.then(() => response.writeHead(answered).end());
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    received,
    respondWith: (nextStatus, nextHoldMs = 0): void => {
      [status, holdMs] = [nextStatus, nextHoldMs];
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
