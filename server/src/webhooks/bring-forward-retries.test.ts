import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CLAIM_ORIGIN, ClaimFixture, DELIVERED, FAILED } from '../../test/claim-fixture.ts';
import { describeWithAndWithoutCitus } from '../../test/with-and-without-citus.ts';
import { bringForwardRetries } from './bring-forward-retries.ts';

describeWithAndWithoutCitus('retries of apps that read the feed (decision 0003)', (useDatabase) => {
  const base = useDatabase();

  it('retries of apps that read are brought forward and announced, in each shop, while other retries are not', async () => {
    const bench = new ClaimFixture(base.db);
    const hooks = [];
    for (let shop = 0; shop < 6; shop++) hooks.push(await bench.hook(CLAIM_ORIGIN));
    const [silent, healthy, ...readers] = hooks;
    assert.ok(silent !== undefined && healthy !== undefined);
    for (const hook of hooks) {
      await bench.change(hook);
      await bench.record(await bench.claim(hook), hook === healthy ? DELIVERED : FAILED);
    }
    const announced: string[] = [];
    base.db.onAnnouncement((topic, shopId) => {
      if (topic === 'webhooks') announced.push(shopId);
    });
    const now = new Date(bench.clock.now().getTime() + 1_000);
    await bringForwardRetries(base.db, [healthy, ...readers], now);
    for (const hook of hooks) {
      const early = readers.includes(hook) ? now : null;
      assert.deepEqual((await bench.row(hook)).earlyAt, early);
    }
    assert.deepEqual(announced.toSorted(), readers.map(({ shopId }) => shopId).toSorted());
    await bringForwardRetries(base.db, readers, now);
    assert.equal(announced.length, readers.length, 'each retry is brought forward once');
  });
});
