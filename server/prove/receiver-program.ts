// Receivers of deliveries in a separate process. The parent process (receiver-process.ts) sets
// their number and behavior, and requests their recorded arrivals.
import { createServer } from 'node:http';
import { Receiver } from './receiver.ts';
import type { ReceiverCommand, ReceiverReply } from './receiver-process.ts';

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

async function execute(command: ReceiverCommand): Promise<ReceiverReply> {
  switch (command.kind) {
    case 'open': {
      const address = canary.address();
      const port = address === null || typeof address === 'string' ? 0 : address.port;
      const urls: string[] = [];
      for (const behavior of command.behaviors) {
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
      for (const { receiver, ...registration } of command.registrations) {
        receivers[receiver]?.register(registration, command.partnerUrl);
      }
      return {};
    case 'held':
      return { held: receivers.map(({ held }) => [...held]) };
    case 'arrivals':
      return { arrivals: receivers.flatMap(({ arrivals }) => arrivals), canaryHits };
    case 'next arrival':
      return await new Promise((resolve) => {
        for (const receiver of receivers) {
          if (command.of === receiver.behavior) receiver.onArrival(() => resolve({}));
        }
      });
  }
}

process.on(
  'message',
  ({ id, command }: { readonly id: number; readonly command: ReceiverCommand }) => {
    void execute(command).then((reply) => process.send?.({ id, reply }));
  },
);
process.on('disconnect', () => process.exit(0));
