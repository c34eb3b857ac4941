import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { insertTestAttempt } from '../../test/connection-scene.ts';
import { holdTransaction } from '../../test/held-transaction.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { type TestHook, WebhookBench } from '../../test/webhook-bench.ts';
import { newId } from '../base/secrets.ts';
import { statement } from '../database/statement.ts';
import { cleanUpNoticeHours, type NoticeHours, readNoticeHours } from './notice-hour.ts';
import { lockNoticeRollUp, rollUpNotices } from './notice-roll-up.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const SETTLED_MS = 3 * MINUTE_MS;
const NOON = new Date('2026-06-01T12:00:00.000Z');
const LONG_AGO = new Date(0);
const OK = { status: 204, error: null };
const REFUSED = { status: 500, error: 'status' };
const SILENT = { status: null, error: 'timeout' };
const UNKNOWN = { status: null, error: null };

export const beginTestRollUp = statement(
  'test_begin_roll_up',
  `with gone as (delete from webhook_attempt), hours as (delete from notice_hour)
   update notice_roll_up set rolled_up_to = '2000-01-01T00:00:00Z'`,
);

describe('the roll-up of notices by the hour (decision 0192)', () => {
  let base: TestDatabase;
  let bench: WebhookBench;
  let hook: TestHook;
  let other: TestHook;
  let made = 0;

  before(async () => {
    base = await openTestDatabase();
    bench = new WebhookBench(base.db);
    hook = await bench.hook('http://127.0.0.1:9');
    other = await bench.hook('http://127.0.0.1:9');
  });
  beforeEach(async () => await base.db.query(beginTestRollUp));
  after(async () => await base.close());

  const at = (ms: number): Date => new Date(NOON.getTime() + ms);
  async function attempt(
    ms: number,
    { status, error }: { status: number | null; error: string | null },
    { shopId, connectionId }: TestHook = hook,
  ): Promise<void> {
    const values = [shopId, connectionId, ++made, newId(), at(ms), status, error, 5];
    await base.db.query(insertTestAttempt, values);
  }
  const rollUp = async (now: Date, step?: number): Promise<Date> =>
    await rollUpNotices(base.db, now, undefined, step);
  const read = async (shop: TestHook = hook, since: Date = LONG_AGO): Promise<NoticeHours> =>
    await readNoticeHours(base.db, shop.shopId, since);

  it('counts what was answered with 2xx and what was not, by the hour and by the shop', async () => {
    await attempt(-1, OK);
    await attempt(0, OK);
    await attempt(1, OK);
    await attempt(2, REFUSED);
    await attempt(3, SILENT);
    await attempt(HOUR_MS - 1, UNKNOWN);
    await attempt(HOUR_MS, OK);
    await attempt(5, OK, other);
    const countedTo = await rollUp(at(2 * HOUR_MS));
    assert.deepEqual(countedTo, at(2 * HOUR_MS - SETTLED_MS));
    assert.deepEqual(await read(), {
      countedTo,
      hours: [
        { hour: at(-HOUR_MS), delivered: 1, failed: 0 },
        { hour: at(0), delivered: 2, failed: 3 },
        { hour: at(HOUR_MS), delivered: 1, failed: 0 },
      ],
    });
    const ofOther = await read(other);
    assert.deepEqual(ofOther.hours, [{ hour: at(0), delivered: 1, failed: 0 }]);
    const since = await read(hook, at(HOUR_MS));
    assert.deepEqual(since.hours, [{ hour: at(HOUR_MS), delivered: 1, failed: 0 }]);
  });

  it('leaves an attempt that may still be under way for the next run, which adds to the hour', async () => {
    await attempt(0, OK);
    await attempt(MINUTE_MS, UNKNOWN);
    assert.deepEqual(await rollUp(at(MINUTE_MS + SETTLED_MS)), at(MINUTE_MS));
    assert.deepEqual((await read()).hours, [{ hour: NOON, delivered: 1, failed: 0 }]);
    await rollUp(at(MINUTE_MS + SETTLED_MS + 1));
    assert.deepEqual((await read()).hours, [{ hour: NOON, delivered: 1, failed: 1 }]);
    await rollUp(at(2 * HOUR_MS));
    assert.deepEqual((await read()).hours, [{ hour: NOON, delivered: 1, failed: 1 }]);
  });

  it('catches up in small steps, also where a millisecond has more attempts than a step', async () => {
    for (let i = 0; i < 7; i++) await attempt(5, OK);
    for (let i = 0; i < 8; i++) await attempt(10 + i, REFUSED);
    assert.deepEqual(await rollUp(at(HOUR_MS), 3), at(HOUR_MS - SETTLED_MS));
    assert.deepEqual((await read()).hours, [{ hour: NOON, delivered: 7, failed: 8 }]);
  });

  it('counts each attempt once when several nodes run it at the same time', async () => {
    for (let i = 0; i < 30; i++) await attempt(i, OK);
    const nodes = Array.from({ length: 4 }, async () => await rollUp(at(HOUR_MS), 4));
    await Promise.all(nodes);
    await rollUp(at(HOUR_MS));
    assert.deepEqual((await read()).hours, [{ hour: NOON, delivered: 30, failed: 0 }]);
  });

  it('counts nothing of a step that did not commit', async () => {
    await attempt(0, OK);
    await base.db.script(`alter table notice_roll_up
      add constraint test_stays check (rolled_up_to = '2000-01-01T00:00:00Z')`);
    await assert.rejects(rollUp(at(HOUR_MS)));
    assert.deepEqual((await read()).hours, []);
    await base.db.script('alter table notice_roll_up drop constraint test_stays');
    await rollUp(at(HOUR_MS));
    assert.deepEqual((await read()).hours, [{ hour: NOON, delivered: 1, failed: 0 }]);
  });

  it('never passes the database by a clock that is ahead, and never goes back by one that is behind', async () => {
    const aheadMs = 30 * DAY_MS;
    const countedTo = await rollUp(new Date(Date.now() + aheadMs));
    assert.ok(countedTo.getTime() < Date.now() - SETTLED_MS + MINUTE_MS, countedTo.toISOString());
    assert.deepEqual(await rollUp(NOON), countedTo);
  });

  it('does nothing once it is told to stop', async () => {
    await attempt(0, OK);
    await rollUpNotices(base.db, at(HOUR_MS), AbortSignal.abort());
    assert.deepEqual((await read()).hours, []);
  });

  it('forgets hours after 400 days, and not one that is exactly as old', async () => {
    await attempt(0, OK);
    await rollUp(at(HOUR_MS));
    assert.equal(await cleanUpNoticeHours(base.db, at(400 * DAY_MS)), 0);
    assert.equal(await cleanUpNoticeHours(base.db, at(400 * DAY_MS + 1), AbortSignal.abort()), 0);
    assert.equal(await cleanUpNoticeHours(base.db, at(400 * DAY_MS + 1)), 1);
    assert.deepEqual((await read()).hours, []);
  });

  it('waits for nobody: while another node counts, it says how far that one was', async () => {
    await attempt(0, OK);
    const held = holdTransaction(base.db, async (tx) => await tx.one(lockNoticeRollUp));
    await held.begun;
    assert.deepEqual(await rollUp(at(HOUR_MS)), new Date('2000-01-01T00:00:00Z'));
    assert.deepEqual((await read()).hours, []);
    held.release();
    await held.done;
  });
});
