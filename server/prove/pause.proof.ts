// Proves that a service that was stopped for longer than an attempt may take (SIGSTOP, as a suspended
// or migrated machine does) blames neither a receiver that answered meanwhile, nor the database.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { findFreePort } from '../src/base/free-port.ts';
import { newId } from '../src/base/secrets.ts';
import { statement } from '../src/database/statement.ts';
import { senderLimits } from '../src/delivery/guarded-sender.ts';
import { startHookReceiver } from '../test/hook-receiver.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { openTestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { startServiceProcess } from './service-process.ts';
import { StockWriters } from './stock-writers.ts';
import { registerWebhooks, seedShops } from './webhook-scene.ts';

const ANSWER_AFTER_MS = 600;
const PAUSE_MS = senderLimits.attemptMs + 2_000;

const selectAttempts = statement<{ readonly error: string | null; readonly status: number | null }>(
  'prove_pause_attempts',
  `select error, status from webhook_attempt order by number`,
);
const selectWebhook = statement<{
  readonly failures: number;
  readonly speed: string;
  readonly isBehind: boolean;
}>(
  'prove_pause_webhook',
  `select w.failures, w.speed, w.acknowledged_seq < h.seq as "isBehind"
    from webhook w join feed_head h using (shop_id)`,
);

describe('a process that was paused', () => {
  it('interrupts its attempts, and blames neither their receivers nor the database', async (t) => {
    await using base = await openTestDatabase();
    await using receiver = await startHookReceiver();
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    let log = '';
    const environment = {
      PORT: String(port),
      PUBLIC_URL: url,
      ALLOW_LOOPBACK_WEBHOOKS: 'true',
      SECRET_KEY: TEST_SECRET_KEY,
      DATABASE_URL: base.url,
      LOG_LEVEL: 'warn',
    };
    const service = await startServiceProcess(environment, ['serve'], (part) => void (log += part));
    try {
      const apps = await seedShops(base.db, [{ behavior: 'ok', url: receiver.url }], 1, url);
      await registerWebhooks(apps, url);
      const shops = apps.map(({ shop }) => shop);
      const isInSync = async (): Promise<boolean> =>
        (await base.db.one(selectWebhook))?.isBehind === false;
      await waitUntil(isInSync);
      const received = receiver.received.length;
      receiver.respondWith(204, ANSWER_AFTER_MS);
      const [shop] = shops;
      assert.ok(shop !== undefined);
      await new StockWriters(url, shops).write(shop, newId());
      await waitUntil(() => receiver.received.length > received);
      process.kill(service.pid, 'SIGSTOP');
      await pause(PAUSE_MS);
      process.kill(service.pid, 'SIGCONT');
      await waitUntil(isInSync);
      const attempts = await base.db.query(selectAttempts);
      const errors = attempts.map(({ error, status }) => error ?? status);
      t.diagnostic(`attempts: ${errors.join(', ')}`);
      assert.deepEqual(errors.slice(-2), ['interrupted', 204]);
      const webhook = await base.db.one(selectWebhook);
      assert.deepEqual(webhook, { failures: 0, speed: 'fast', isBehind: false });
      assert.match(log, /this process was paused for 1[78](?:\.\d)? s/);
      assert.doesNotMatch(log, /"level":"error"|does not respond|were lost/);
    } finally {
      await service.kill();
    }
  });
});
