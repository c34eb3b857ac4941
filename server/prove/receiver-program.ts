// Receivers of deliveries in a separate process. The parent process sets their number and behavior,
// and requests what they received (receiver-process.ts).
import { createServer } from 'node:http';
import { Receiver } from './receiver.ts';
import type { Order, Reply } from './receiver-process.ts';

let canaryHits = 0;
/** The target of redirects, which the service must not follow. */
const canary = createServer((_request, response) => {
  canaryHits += 1;
  response.end();
});
await new Promise<void>((resolve) => {
  canary.listen(0, '127.0.0.1', resolve);
});
const receivers: Receiver[] = [];

async function obey(order: Order): Promise<Reply> {
  switch (order.kind) {
    case 'open': {
      const address = canary.address();
      const port = address === null || typeof address === 'string' ? 0 : address.port;
      const urls: string[] = [];
      for (const behavior of order.behaviors) {
        const receiver = new Receiver(
          receivers.length,
          behavior,
          `http://127.0.0.1:${port}/internal`,
        );
        receivers.push(receiver);
        urls.push(await receiver.open());
      }
      return { urls };
    }
    case 'register':
      for (const { receiver, ...registration } of order.registrations) {
        receivers[receiver]?.register(registration, order.partnerUrl);
      }
      return {};
    case 'held':
      return { held: receivers.map(({ held }) => [...held]) };
    case 'arrivals':
      return { arrivals: receivers.flatMap(({ arrivals }) => arrivals), canaryHits };
    case 'next arrival':
      return await new Promise((resolve) => {
        for (const receiver of receivers) {
          if (order.of === receiver.behavior) receiver.onArrival(() => resolve({}));
        }
      });
  }
}

process.on('message', ({ id, order }: { readonly id: number; readonly order: Order }) => {
  void obey(order).then((reply) => process.send?.({ id, reply }));
});
process.on('disconnect', () => process.exit(0));
