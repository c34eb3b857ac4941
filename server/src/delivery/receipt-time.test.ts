import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statement } from '../database/statement.ts';
import { startWorker } from '../../test/delivery-worker.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { startReceiver, WebhookFixture } from '../../test/webhook-fixture.ts';

export const moveTestHead = statement(
  'test_move_later_head',
  `update feed_head set seq = seq + 1, changed_at = $2 where shop_id = $1`,
);

describe('the time to receipt', () => {
  it('the time to receipt is not negative if the clock of the process that wrote the change is ahead', async () => {
    await using base = await openTestDatabase();
    await using receiver = await startReceiver();
    const bench = new WebhookFixture(base.db);
    const hook = await bench.hook(receiver.origin);
    await bench.change(hook);
    await base.db.query(moveTestHead, [hook.shopId, new Date()]);
    const clock = { now: () => new Date(Date.now() - 1_000) };
    await using worker = startWorker(bench, {}, base.db, clock);
    await waitUntil(async () => (await bench.row(hook)).acknowledgedSeq === 2);
    assert.equal(worker.receipts.length, 1);
    assert.ok((worker.receipts[0] ?? -1) >= 0);
  });
});
