// Sends the jobs of BullMQ and pg-boss: signs an event as Cardport does, and POSTs it with undici.
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { newId } from '../../server/src/base/secrets.ts';
import { renderEvent, signRequest } from '../../server/src/webhooks/event-request.ts';
import { signingKeysOf } from '../../server/src/webhooks/signature.ts';
import { newWebhookSecret } from '../../server/src/webhooks/webhook-secrets.ts';

const dispatcher = new Agent({ connections: 1, pipelining: 1, keepAliveTimeout: 4_000 });
const keys = [signingKeysOf(newWebhookSecret())];

/** Returns the data of `count` jobs, distributed over these addresses in turn. */
export function makeJobs(urls, count) {
  return Array.from({ length: count }, (_, n) => ({
    eventId: newId(),
    url: urls[n % urls.length],
    text: String(renderEvent({ shopId: newId(), connectionId: newId(), occurredAt: new Date() })),
  }));
}

export async function sendJob({ eventId, url, text }) {
  const body = Buffer.from(text);
  const { headers } = signRequest({ eventId, attempt: 1, keys, at: new Date(), url, body });
  const response = await request(url, { method: 'POST', headers, body, dispatcher });
  await response.body.dump();
  if (response.statusCode !== 204) throw new Error(`the receiver sent ${response.statusCode}`);
}

/**
 * Serves `GET /COUNT`, which queues that many jobs (`fill`) and sends them (`drain`). Responds with
 * the number of jobs, and the seconds and CPU time of `drain` alone. Prints the ready line.
 */
export function servePeer(fill, drain) {
  const server = createServer((incoming, response) => {
    const count = Number(incoming.url.slice(1));
    const run = async () => {
      await fill(count);
      const [cpuFrom, fromMs] = [process.cpuUsage(), performance.now()];
      await drain(count);
      const { user, system } = process.cpuUsage(cpuFrom);
      const seconds = (performance.now() - fromMs) / 1_000;
      return { count, seconds, cpuMs: (user + system) / 1_000 };
    };
    void run().then((sample) => response.end(JSON.stringify(sample)));
  });
  server.listen(0, '127.0.0.1', () => {
    console.log(`ready http://127.0.0.1:${server.address().port}`);
  });
}
