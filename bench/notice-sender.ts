// The guarded sender alone: sends ready notices to the addresses that its parent names, as many at once as a worker has
// in flight, and says how long that took.
import { newId } from '../server/src/base/secrets.ts';
import { openGuardedSender } from '../server/src/webhooks/guarded-sender.ts';
import { renderNotice, signNotice } from '../server/src/webhooks/notice.ts';
import { newWebhookSecret } from '../server/src/webhooks/webhook-secrets.ts';
import type { SenderOrder } from './notice-processes.ts';

/** As many as a worker has in flight. */
const IN_FLIGHT = 256;
const sender = openGuardedSender({ allowsLoopback: true });
const { signal } = new AbortController();

/** Sends one notice to each address; returns the milliseconds that took. */
async function sendWave({ urls }: SenderOrder): Promise<number> {
  const secret = newWebhookSecret();
  const body = renderNotice({ shopId: newId(), connectionId: newId(), occurredAt: new Date() });
  const notices = urls.map((url) => {
    const facts = { eventId: newId(), attempt: 1, secrets: [secret] as const, at: new Date() };
    return signNotice({ ...facts, url, body });
  });
  const beganAtMs = performance.now();
  let next = 0;
  const send = async (): Promise<void> => {
    for (let notice = notices[next++]; notice !== undefined; notice = notices[next++]) {
      const result = await sender.send(notice, signal);
      if (result.kind === 'failed') throw new Error(JSON.stringify(result));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, send));
  return performance.now() - beganAtMs;
}

process.on('message', (order: SenderOrder) => {
  void sendWave(order).then((ms) => process.send?.({ ms }));
});
process.on('disconnect', () => process.exit(0));
