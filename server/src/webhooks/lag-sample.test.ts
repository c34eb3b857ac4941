import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { type TestHook, WebhookBench } from '../../test/webhook-bench.ts';
import { endConnection } from '../connections/connection.ts';
import { statement } from '../database/statement.ts';
import { OPERATOR } from '../shops/audit.ts';
import { cleanUpLagSamples, type LagSample, readLagSamples, sampleLag } from './lag-sample.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LONG_AGO = new Date(0);
/** A whole quarter of an hour. */
const NOON = new Date('2026-06-01T12:00:00.000Z');

export const readTestFeed = statement(
  'test_read_feed',
  `insert into feed_read (shop_id, connection_id, epoch, seq, read_at) values ($1, $2, $3, $4, $5)
   on conflict (shop_id, connection_id) do update set epoch = excluded.epoch, seq = excluded.seq`,
);

describe('the samples of lag (decision 0193)', () => {
  let base: TestDatabase;
  let bench: WebhookBench;
  let hooks: readonly TestHook[];

  before(async () => {
    base = await openTestDatabase();
    bench = new WebhookBench(base.db);
    hooks = await bench.hooks(['http://127.0.0.1:9', 'http://127.0.0.1:9', 'http://127.0.0.1:9']);
  });
  after(async () => await base.close());

  const at = (ms: number): Date => new Date(NOON.getTime() + ms);
  async function samplesOf(
    hook: TestHook | undefined,
    since: Date = LONG_AGO,
  ): Promise<readonly LagSample[]> {
    assert.ok(hook);
    return await readLagSamples(base.db, hook.shopId, hook.connectionId, since);
  }

  it('holds, of every active connection, how far it lies behind, once in a quarter of an hour', async () => {
    const [reader, expired, ended] = hooks;
    assert.ok(reader && expired && ended);
    for (let i = 0; i < 5; i++) await bench.change(reader);
    const { shopId } = reader;
    await base.db.query(readTestFeed, [shopId, reader.connectionId, 1, 3, NOON]);
    await base.db.query(readTestFeed, [shopId, expired.connectionId, 9, 3, NOON]);
    await base.db.transaction(
      async (tx) => await endConnection(tx, shopId, ended.clientId, 'shop', NOON, OPERATOR),
    );
    assert.equal(await sampleLag(base.db, at(1)), 2);
    assert.deepEqual(await samplesOf(reader), [{ sampledAt: at(1), changes: 2 }]);
    assert.deepEqual(await samplesOf(expired), [{ sampledAt: at(1), changes: 5 }]);
    assert.deepEqual(await samplesOf(ended), []);

    const within = at(15 * MINUTE_MS - 1);
    assert.equal(await sampleLag(base.db, within), 0, 'within the quarter');
    await base.db.query(readTestFeed, [shopId, reader.connectionId, 1, 5, NOON]);
    const next = at(15 * MINUTE_MS);
    const nodes = Array.from({ length: 3 }, async () => await sampleLag(base.db, next));
    const taken = await Promise.all(nodes);
    assert.deepEqual(
      taken.filter((count) => count > 0),
      [2],
      'one of three nodes',
    );
    assert.deepEqual(await samplesOf(reader), [
      { sampledAt: at(1), changes: 2 },
      { sampledAt: next, changes: 0 },
    ]);
    assert.deepEqual(await samplesOf(reader, next), [{ sampledAt: next, changes: 0 }]);
  });

  it('is kept for three days, and not one that is exactly as old', async () => {
    const [reader] = hooks;
    assert.equal(await cleanUpLagSamples(base.db, at(3 * DAY_MS + 1)), 0);
    assert.equal(await cleanUpLagSamples(base.db, at(3 * DAY_MS + 2), AbortSignal.abort()), 0);
    assert.equal(await cleanUpLagSamples(base.db, at(3 * DAY_MS + 2)), 2);
    assert.deepEqual(await samplesOf(reader), [{ sampledAt: at(15 * MINUTE_MS), changes: 0 }]);
  });

  it('is not kept from sampling by a node whose clock is ahead', async () => {
    assert.equal(await sampleLag(base.db, new Date(Date.now() + DAY_MS)), 2);
    const [reader] = hooks;
    const last = (await samplesOf(reader)).at(-1);
    assert.ok(last !== undefined && last.sampledAt.getTime() < Date.now() + MINUTE_MS);
  });
});
