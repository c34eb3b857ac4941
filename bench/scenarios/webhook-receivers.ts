// Receivers that only count deliveries. Each has its own port, and all run in one process. The
// parent process requests the counts (counting-receivers.ts).
import { createServer } from 'node:http';
import type { ReceiversRequest, ReceiversReply } from './counting-receivers.ts';

/** Arrivals since the last request, by receiver and time. */
let arrivals: [receiver: number, atMs: number][] = [];
let count = 0;

async function open(receiver: number): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => {
      response.writeHead(204).end();
      count++;
      arrivals.push([receiver, performance.timeOrigin + performance.now()]);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}/deliveries`;
}

async function handleRequest(request: ReceiversRequest): Promise<ReceiversReply> {
  switch (request.kind) {
    case 'open': {
      const urls: string[] = [];
      for (let receiver = 0; receiver < request.count; receiver++) urls.push(await open(receiver));
      return { urls };
    }
    case 'count':
      return { count };
    case 'take': {
      const taken = arrivals;
      arrivals = [];
      return { arrivals: taken };
    }
  }
}

process.on('message', (request: ReceiversRequest) => {
  void handleRequest(request).then((reply) => process.send?.(reply));
});
process.on('disconnect', () => process.exit(0));
