// The baseline for webhook deliveries, which is the guarded sender alone: `node
// webhook-deliveries-limit.ts address,address…`. On `GET /SECONDS`, it sends prepared deliveries to
// the addresses in turn for that many seconds, as many concurrently as a worker does, and one at a
// time to each address. It returns the number of deliveries and the exact time.
import { createServer } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { newId } from '../../server/src/base/secrets.ts';
import { openGuardedSender } from '../../server/src/delivery/guarded-sender.ts';
import { renderEvent, signRequest } from '../../server/src/webhooks/event-request.ts';
import { queueLimits } from '../../server/src/delivery/due-queue.ts';
import { signingKeysOf } from '../../server/src/webhooks/signature.ts';
import { newWebhookSecret } from '../../server/src/webhooks/webhook-secrets.ts';

const urls = (process.argv[2] ?? '').split(',');
const sender = openGuardedSender({ allowsLoopback: true });
const { signal } = new AbortController();
const keys = [signingKeysOf(newWebhookSecret())] as const;
const body = renderEvent({ shopId: newId(), connectionId: newId(), occurredAt: new Date() });
const requests = urls.map((url) =>
  signRequest({ eventId: newId(), attempt: 1, keys, at: new Date(), url, body }),
);

async function sendFor(
  seconds: number,
): Promise<{ readonly count: number; readonly seconds: number }> {
  const beganAtMs = performance.now();
  const endMs = beganAtMs + seconds * 1_000;
  let count = 0;
  const free = [...requests];
  const send = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const request = free.shift();
      if (request === undefined) throw new Error('no address');
      const result = await sender.send(request, signal);
      if (result.kind === 'failed') throw new Error(JSON.stringify(result));
      count++;
      // undici reuses a connection from the next turn on. Earlier in this turn it opens another one.
      await nextTurn();
      free.push(request);
    }
  };
  await Promise.all(Array.from({ length: queueLimits.fast.slots }, send));
  return { count, seconds: (performance.now() - beganAtMs) / 1_000 };
}

const server = createServer((request, response) => {
  void sendFor(Number(request.url?.slice(1))).then((sent) => response.end(JSON.stringify(sent)));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  console.log(`ready http://127.0.0.1:${address.port}`);
});
