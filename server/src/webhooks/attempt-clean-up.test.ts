import assert from 'node:assert/strict';
import { it } from 'node:test';
import { statement } from '../database/statement.ts';
import {
  type ConnectionScene,
  logTestAttempt,
  startConnectionScene,
} from '../../test/connection-scene.ts';
import { describeWithAndWithoutCitus } from '../../test/with-and-without-citus.ts';
import { TEST_NOW } from '../../test/partner.ts';

import { cleanUpAttempts } from './attempt-clean-up.ts';

const AGE_MS = 30 * 24 * 3_600_000;

export const insertTestAttempts = statement(
  'test_fill_attempt_log',
  `insert into webhook_attempt (shop_id, connection_id, number, event_id, attempt, started_at, status)
   select $1, $2, number, gen_random_uuid(), 1, $4, 204 from generate_series(1, $3::bigint) as number`,
);
export const setTestAttemptsMade = statement(
  'test_set_attempts_made',
  `update webhook set attempts_made = $3 where shop_id = $1 and connection_id = $2`,
);
export const readTestLog = statement<{ count: number; oldest: number | null }>(
  'test_read_attempt_log',
  `select count(*)::int as count, min(number) as oldest from webhook_attempt
    where shop_id = $1 and connection_id = $2`,
);

async function fill(scene: ConnectionScene, rows: number, startedAt: Date): Promise<void> {
  const { db, shopId, connectionId } = scene;
  await scene.putWebhook();
  await db.query(insertTestAttempts, [shopId, connectionId, rows, startedAt]);
  await db.query(setTestAttemptsMade, [shopId, connectionId, rows]);
}

async function logOf({ db, shopId, connectionId }: ConnectionScene): Promise<unknown> {
  return await db.one(readTestLog, [shopId, connectionId]);
}

describeWithAndWithoutCitus('the clean-up of the attempt log (decision 0003)', (useDatabase) => {
  const base = useDatabase();

  it('attempts older than 30 days are deleted, but not an attempt that is exactly 30 days old', async () => {
    await using scene = await startConnectionScene(base);
    await fill(scene, 2, TEST_NOW);
    await logTestAttempt(scene, { number: 3, startedAt: new Date(TEST_NOW.getTime() + 1) });
    const later = (ms: number): Date => new Date(TEST_NOW.getTime() + AGE_MS + ms);
    assert.equal(await cleanUpAttempts(scene.db, later(0)), 0);
    assert.equal(await cleanUpAttempts(scene.db, later(1)), 2);
    assert.deepEqual(await logOf(scene), { count: 1, oldest: 3 });
  });

  it('the newest 1,000 attempts of a connection are kept', async () => {
    await using scene = await startConnectionScene(base);
    await fill(scene, 1_000, TEST_NOW);
    assert.equal(await cleanUpAttempts(scene.db, TEST_NOW), 0);
    await scene.db.query(setTestAttemptsMade, [scene.shopId, scene.connectionId, 1_001]);
    await logTestAttempt(scene, { number: 1_001 });
    assert.equal(await cleanUpAttempts(scene.db, TEST_NOW), 1);
    assert.deepEqual(await logOf(scene), { count: 1_000, oldest: 2 });
  });

  it('several batches of one connection are deleted, unless the signal is aborted', async () => {
    await using scene = await startConnectionScene(base);
    await fill(scene, 3_500, TEST_NOW);
    assert.equal(await cleanUpAttempts(scene.db, TEST_NOW, AbortSignal.abort()), 0);
    assert.equal(await cleanUpAttempts(scene.db, TEST_NOW), 2_500);
    assert.deepEqual(await logOf(scene), { count: 1_000, oldest: 2_501 });
  });
});
