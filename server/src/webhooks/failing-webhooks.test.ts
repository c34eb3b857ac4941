import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statement } from '../database/statement.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { WebhookFixture } from '../../test/webhook-fixture.ts';
import { countFailingWebhooks } from './failing-webhooks.ts';
import { removeWebhook } from './registration.ts';

export const failTestHooks = statement(
  'test_fail_hooks',
  `update webhook set failures = 3, failing_since = created_at, next_attempt_at = created_at
    where connection_id = any($1::uuid[])`,
);

describe('the count of failing webhooks', () => {
  it('the count includes every shop, but not healthy, removed or newly registered webhooks', async () => {
    await using base = await openTestDatabase();
    const bench = new WebhookFixture(base.db);
    const count = async (): Promise<number> => await countFailingWebhooks(base.db);
    const origin = 'http://127.0.0.1:9';
    const [one, two] = await bench.hooks([origin, origin, origin]);
    const other = await bench.hook(origin);
    assert.ok(one && two);
    assert.equal(await count(), 0);
    const ids = [one, two, other].map(({ connectionId }) => connectionId);
    await base.db.query(failTestHooks, [ids]);
    assert.equal(await count(), 3);
    await base.db.transaction(async (tx) => {
      await removeWebhook(tx, one.shopId, one.connectionId, 'app', bench.clock.now());
    });
    await bench.put(other);
    assert.equal(await count(), 1);
  });
});
