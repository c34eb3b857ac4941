import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Clock, ManualClock } from '../base/clock.ts';
import { newId } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import {
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  TEST_NOW,
} from '../../test/partner.ts';
import { FAKE_CITUS } from '../../test/fake-citus.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { bringForwardRetries } from '../webhooks/bring-forward-retries.ts';
import { FeedReads, type FeedReadsOptions } from './feed-reads.ts';
import { putWebhook } from '../webhooks/registration.ts';
import { WebhookSecrets } from '../webhooks/webhook-secrets.ts';

const QUICK = { notifyEveryMs: 5, flushEveryMs: 5 };
const HOUR_MS = 3_600_000;

interface Connected {
  readonly shopId: string;
  readonly connectionId: string;
  readonly token: string;
}

type Failing = Omit<Connected, 'token'>;

interface Waiting {
  readonly failures: number;
  readonly nextAttemptAt: Date;
  readonly lastAttemptAt: Date | null;
  readonly notBefore: Date | null;
  readonly earlyAt: Date | null;
  readonly failingSince: Date;
}

export const failTestWebhook = statement(
  'test_fail_webhook',
  `update webhook set event_id = connection_id, failures = $3, failing_since = $8,
     next_attempt_at = $4, last_attempt_at = $5, not_before = $6, early_at = $7
   where shop_id = $1 and connection_id = $2`,
);
export const leaseTestReader = statement(
  'test_lease_reader',
  `update webhook set lease_id = connection_id, leased_until = now() + interval '1 minute'
   where shop_id = $1 and connection_id = $2`,
);
export const leaseTestEarlyAttempt = statement(
  'test_lease_early',
  `update webhook set lease_id = connection_id, leased_until = now() + interval '1 minute',
     early_at = last_attempt_at, is_early = true
   where shop_id = $1 and connection_id = $2`,
);
export const startTestMinInterval = statement(
  'test_pace_reader',
  `update webhook set paced_until = now() + interval '1 minute'
   where shop_id = $1 and connection_id = $2`,
);
export const readTestEarlyAt = statement<{ readonly earlyAt: Date | null }>(
  'test_read_early',
  `select early_at as "earlyAt" from webhook where shop_id = $1 and connection_id = $2`,
);
export const readTestFeedRead = statement<{ epoch: number; seq: number; readAt: Date }>(
  'test_read_feed_read',
  `select epoch, seq, read_at as "readAt" from feed_read where shop_id = $1 and connection_id = $2`,
);

function openReads(
  db: Database,
  clock: Clock,
  onFault: (error: unknown) => void,
  times: Partial<typeof QUICK> = {},
): FeedReads {
  const onReads: FeedReadsOptions['onReads'] = async (readers, now) =>
    await bringForwardRetries(db, readers, now);
  return new FeedReads({ db, clock, onFault, onReads, ...times });
}

async function connect(base: TestDatabase, node: PartnerNode): Promise<Connected> {
  const party = await seedParty(base.db);
  const { token } = await seedGrant(base.db, party);
  const { status, text } = await node.call('POST', '/connection', { token });
  assert.equal(status, 201, text);
  const { id }: { id: string } = JSON.parse(text);
  const { clientId } = party.app;
  const secrets = new WebhookSecrets('a secret key of tests, 32 characters or more', null);
  const webhook = { shopId: party.shop.id, clientId, connectionId: id, allowsLoopback: false };
  const url = 'https://app.example/hook';
  await base.db.transaction(
    async (tx) => await putWebhook(tx, secrets, { ...webhook, url }, TEST_NOW),
  );
  return { shopId: party.shop.id, connectionId: id, token };
}

async function fail(
  db: Database,
  { shopId, connectionId }: Failing,
  changes: Partial<Waiting> = {},
): Promise<void> {
  const waiting: Waiting = {
    failures: 3,
    nextAttemptAt: new Date(TEST_NOW.getTime() + HOUR_MS),
    lastAttemptAt: new Date(TEST_NOW.getTime() - HOUR_MS),
    notBefore: null,
    earlyAt: null,
    failingSince: TEST_NOW,
    ...changes,
  };
  const { failures, nextAttemptAt, lastAttemptAt, notBefore, earlyAt, failingSince } = waiting;
  const instants = [nextAttemptAt, lastAttemptAt, notBefore, earlyAt, failingSince];
  await db.query(failTestWebhook, [shopId, connectionId, failures, ...instants]);
}

async function earlyOf(db: Database, reader: Failing): Promise<Date | null | undefined> {
  return (await db.one(readTestEarlyAt, [reader.shopId, reader.connectionId]))?.earlyAt;
}

function at(ms: number): Date {
  return new Date(TEST_NOW.getTime() + ms);
}

describe('reads of the feed (decision 0003)', () => {
  const base = useTestDatabase();

  it('a read brings forward the webhook retry of the app that reads, and of no other app', async () => {
    await using node = await startPartnerNode(base, { feedReadTimes: QUICK });
    const [reader, silent] = [await connect(base, node), await connect(base, node)];
    await fail(base.db, reader);
    await fail(base.db, silent);
    const told: string[] = [];
    node.db.onAnnouncement((topic, payload) => {
      if (topic === 'webhooks') told.push(payload);
    });
    const refused = await node.call('GET', '/inventory/changes?cursor=made-up', {
      token: silent.token,
    });
    assert.equal(refused.status, 400);
    const answer = await node.call('GET', '/inventory/changes', { token: reader.token });
    assert.equal(answer.status, 200);
    await waitUntil(() => told.length > 0);
    assert.deepEqual(told, [reader.shopId]);
    assert.deepEqual(await earlyOf(base.db, reader), TEST_NOW);
    assert.equal(await earlyOf(base.db, silent), null);
  });

  it('reads are stored with one statement per shop if Citus distributes the tables', async () => {
    await using distributed = await openTestDatabase();
    await distributed.db.runScript(FAKE_CITUS);
    await using node = await startPartnerNode(distributed);
    const connected = [await connect(distributed, node), await connect(distributed, node)];
    const clock = new ManualClock(TEST_NOW);
    const readAll = async (seq: number): Promise<void> => {
      const reads = openReads(distributed.db, clock, assert.ifError);
      for (const { shopId, connectionId } of connected) {
        reads.record(shopId, connectionId, { epoch: 1, seq });
      }
      reads.record(connected[0]?.shopId ?? '', newId(), null);
      reads.record(newId(), newId(), null);
      await reads.close();
    };
    for (const seq of [4, 5]) {
      await readAll(seq);
      for (const { shopId, connectionId } of connected) {
        const stored = await distributed.db.one(readTestFeedRead, [shopId, connectionId]);
        assert.deepEqual(stored, { epoch: 1, seq, readAt: clock.now() });
      }
      clock.advance(1_000);
    }
  });

  it('a read brings a webhook retry forward even if the cursor has expired', async () => {
    await using node = await startPartnerNode(base, { feedReadTimes: QUICK });
    const reader = await connect(base, node);
    await fail(base.db, reader);
    const cursor = node.cursors.encode(reader.shopId, { epoch: 1, seq: 7 });
    const path = `/inventory/changes?cursor=${cursor}`;
    assert.equal((await node.call('GET', path, { token: reader.token })).status, 410);
    await waitUntil(async () => (await earlyOf(base.db, reader)) !== null);
    assert.deepEqual(await earlyOf(base.db, reader), TEST_NOW);
  });

  it('a read respects Retry-After, and changes no webhook that is due earlier or is not failing', async () => {
    await using node = await startPartnerNode(base);
    const faults: unknown[] = [];
    const reads = openReads(base.db, new ManualClock(TEST_NOW), (error) => faults.push(error));
    const cases: readonly [Partial<Waiting>, early: Date | null][] = [
      [{ lastAttemptAt: at(-1_000) }, at(0)],
      [{ lastAttemptAt: at(0) }, at(0)],
      [{ lastAttemptAt: null }, at(0)],
      [{ notBefore: at(60_000) }, at(60_000)],
      [{ earlyAt: at(-5) }, at(-5)],
      [{ earlyAt: at(5) }, at(0)],
      [{ nextAttemptAt: at(0) }, null],
      [{ nextAttemptAt: at(1) }, at(0)],
      // The pause is a sixtieth of the time for which the webhook has failed, at most a minute.
      [{ failingSince: at(-60_000), lastAttemptAt: at(-1) }, at(999)],
      [{ failingSince: at(-120_000), lastAttemptAt: at(-1) }, at(1_999)],
      [{ failingSince: at(-HOUR_MS), lastAttemptAt: at(-1) }, at(59_999)],
      [{ failingSince: at(-HOUR_MS), lastAttemptAt: at(-60_000) }, at(0)],
      [{ failingSince: at(-240 * HOUR_MS), lastAttemptAt: at(-1) }, at(59_999)],
      [
        { failingSince: at(-240 * HOUR_MS), lastAttemptAt: at(-1), earlyAt: at(59_000) },
        at(59_000),
      ],
    ];
    const readers: Connected[] = [];
    for (const [changes] of cases) {
      const reader = await connect(base, node);
      await fail(base.db, reader, changes);
      readers.push(reader);
    }
    const [healthy, leased] = [await connect(base, node), await connect(base, node)];
    const paced = await connect(base, node);
    const begunAt = { nextAttemptAt: at(-1), lastAttemptAt: at(-1) };
    await fail(base.db, leased, begunAt);
    // The claimed attempt of this webhook is already an early one.
    const early = await connect(base, node);
    await fail(base.db, early, begunAt);
    await base.db.query(leaseTestEarlyAttempt, [early.shopId, early.connectionId]);
    await base.db.query(leaseTestReader, [leased.shopId, leased.connectionId]);
    await fail(base.db, paced, { nextAttemptAt: at(-1) });
    await base.db.query(startTestMinInterval, [paced.shopId, paced.connectionId]);
    for (const { shopId, connectionId } of [...readers, healthy, leased, early, paced]) {
      reads.record(shopId, connectionId, null);
      reads.record(shopId, connectionId, { epoch: 1, seq: 4 });
    }
    await reads.close();
    const moved: (Date | null | undefined)[] = [];
    for (const reader of readers) moved.push(await earlyOf(base.db, reader));
    assert.deepEqual(
      moved,
      cases.map(([, expected]) => expected),
    );
    assert.equal(await earlyOf(base.db, healthy), null);
    // The attempt of this webhook is due when its pause of one second ends.
    assert.equal(await earlyOf(base.db, paced), null);
    // If the current attempt fails, the read still brings the next attempt forward.
    assert.deepEqual(await earlyOf(base.db, leased), at(0));
    assert.deepEqual(await earlyOf(base.db, early), at(0));
    assert.deepEqual(faults, []);
    const kept = await base.db.one(readTestFeedRead, [healthy.shopId, healthy.connectionId]);
    assert.deepEqual(kept, { epoch: 1, seq: 4, readAt: TEST_NOW });
  });

  it('the newest read of all nodes is stored, and an outage is logged once', async () => {
    await using node = await startPartnerNode(base);
    const { shopId, connectionId } = await connect(base, node);
    const faults: unknown[] = [];
    const onFault = (error: unknown): void => void faults.push(error);
    const clock = new ManualClock(at(1));
    const later = openReads(base.db, clock, onFault);
    later.record(shopId, connectionId, null);
    later.record(shopId, newId(), { epoch: 9, seq: 9 });
    await later.close();
    assert.deepEqual(faults, []);
    const earlier = new ManualClock(TEST_NOW);
    const late = openReads(base.db, earlier, onFault);
    late.record(shopId, connectionId, { epoch: 1, seq: 3 });
    await late.close();
    const keptOf = async (): Promise<unknown> =>
      await base.db.one(readTestFeedRead, [shopId, connectionId]);
    assert.deepEqual(await keptOf(), { epoch: 1, seq: 0, readAt: at(1) });

    // The same position is stored again after 30 seconds, another position immediately.
    for (const [readAtMs, seq, expectedMs] of [
      [30_000, 0, 1],
      [30_001, 0, 30_001],
      [30_002, 1, 30_002],
    ] as const) {
      const polling = openReads(base.db, new ManualClock(at(readAtMs)), onFault);
      polling.record(shopId, connectionId, { epoch: 1, seq });
      await polling.close();
      assert.deepEqual(await keptOf(), { epoch: 1, seq, readAt: at(expectedMs) });
    }

    clock.advance(30_001);
    let isAway = true;
    let asked = 0;
    const db = new Proxy(base.db, {
      get: (target, name): unknown => {
        const member: unknown = Reflect.get(target, name);
        if (name === 'query' && isAway) {
          return async () => {
            asked++;
            throw new Error('away');
          };
        }
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    const reads = openReads(db, clock, onFault, QUICK);
    clock.advance(1);
    await fail(base.db, { shopId, connectionId });
    reads.record(shopId, connectionId, { epoch: 1, seq: 5 });
    await waitUntil(() => asked > 4);
    assert.equal(faults.length, 1);
    isAway = false;
    await waitUntil(
      async () => (await base.db.one(readTestFeedRead, [shopId, connectionId]))?.seq === 5,
    );
    // The failed notifications are repeated, so the retry is brought forward.
    await waitUntil(async () => (await earlyOf(base.db, { shopId, connectionId })) !== null);
    await reads.close();
    assert.equal(faults.length, 1);
  });
});
