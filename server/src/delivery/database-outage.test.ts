import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { openDatabase } from '../database/open-database.ts';
import { startWorker } from '../../test/delivery-worker.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import {
  respondWith,
  startReceiver,
  type TestHook,
  type TestReceiver,
  WebhookFixture,
} from '../../test/webhook-fixture.ts';

describe('webhook delivery during a database outage', () => {
  let base: TestDatabase;
  let receiver: TestReceiver;
  let bench: WebhookFixture;
  let hook: TestHook;
  before(async () => {
    base = await openTestDatabase();
    receiver = await startReceiver();
  });
  after(async () => {
    await base.close();
    await receiver[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    bench = new WebhookFixture(base.db);
    await bench.clear();
    receiver.notices.splice(0);
    receiver.handle = respondWith(204);
    hook = await bench.hook(receiver.origin);
  });

  const isAcknowledged = async (seq: number): Promise<boolean> => {
    const row = await bench.row(hook);
    return row.acknowledgedSeq === seq && !row.isLeased;
  };

  it('a worker can close during the outage, and another worker then claims its webhooks', async () => {
    const away = openDatabase(base.engine, { onFault: () => undefined });
    receiver.handle = () => undefined;
    await using worker = startWorker(bench, { leaseMs: 300 }, away);
    await bench.change(hook);
    await waitUntil(() => receiver.notices.length === 1);
    await away.close();
    const beganAtMs = performance.now();
    await worker.delivery.close(10);
    // Without the deadline, it would wait for the attempt, which may take 15 s.
    assert.ok(performance.now() - beganAtMs < 12_000);
    assert.equal((await bench.row(hook)).isLeased, true);
    receiver.handle = respondWith(204);
    await using healer = startWorker(bench);
    await waitUntil(async () => await isAcknowledged(1));
    const [first, second] = await bench.attempts(hook);
    assert.deepEqual([first?.error, second?.status], ['interrupted', 204]);
    assert.equal(first?.eventId, second?.eventId);
    assert.deepEqual(healer.failed, ['interrupted']);
    const told = healer.lines.filter((line) => line.includes('the worker of an attempt died'));
    assert.equal(told.length, 1);
    assert.match(told.join(), new RegExp(`"connectionId":"${hook.connectionId}".*"number":1,`));
  });

  it('a worker continues after the outage, and reports how long it could not poll', async () => {
    const state = { isAway: false };
    const db = new Proxy(base.db, {
      get: (target, name): unknown => {
        if (state.isAway && (name === 'query' || name === 'transaction')) {
          return async () => await Promise.reject(connectionRefused());
        }
        const member: unknown = Reflect.get(target, name);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    await using worker = startWorker(bench, {}, db);
    state.isAway = true;
    await bench.change(hook);
    worker.delivery.wake(hook.shopId);
    await waitUntil(() => worker.outages.length > 0);
    assert.equal(receiver.notices.length, 0);
    const looked = worker.delivery.state.lastPollSeconds;
    await waitUntil(() => worker.delivery.state.lastPollSeconds > looked + 0.1);
    const awayFor = worker.delivery.state.lastPollSeconds;
    state.isAway = false;
    await waitUntil(async () => await isAcknowledged(1));
    await waitUntil(() => worker.delivery.state.lastPollSeconds < awayFor);
  });
});

function connectionRefused(): Error {
  return Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
}
