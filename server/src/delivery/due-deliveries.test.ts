import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transaction } from '../database/database.ts';
import { type Statement, statement } from '../database/statement.ts';
import { TEST_NOW } from '../../test/partner.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { WebhookFixture } from '../../test/webhook-fixture.ts';
import { findDueDeliveries } from './due-deliveries.ts';

const SHOPS = 3_000;

export const fillTestShops = statement(
  'test_fill_shops',
  `insert into shop (shop_id, slug, name, currency, created_at)
   select md5('shop' || n)::uuid, 's' || n, 's', 'JPY', $2 from generate_series(1, $1::int) n`,
);
export const fillTestApps = statement(
  'test_fill_apps',
  `insert into app (shop_id, client_id, name, redirect_uris, scopes, shares_cost, is_enabled, created_at, updated_at)
   select md5('shop' || n)::uuid, 'app_' || n, 'a', array['https://a.example/c'], array['inventory:read'], false, true,
          $2, $2
     from generate_series(1, $1::int) n`,
);
export const fillTestConnections = statement(
  'test_fill_connections',
  `insert into connection (shop_id, connection_id, client_id, account_id, status, connected_at)
   select md5('shop' || n)::uuid, md5('connection' || n)::uuid, 'app_' || n,
          (select account_id from account limit 1), 'active', $2
     from generate_series(1, $1::int) n`,
);
export const fillTestHeads = statement(
  'test_fill_heads',
  `insert into feed_head (shop_id, epoch, seq, changed_at)
   select md5('shop' || n)::uuid, 1, 7, $2 from generate_series(1, $1::int) n`,
);
export const fillTestWebhooks = statement(
  'test_fill_webhooks',
  `insert into webhook (shop_id, connection_id, registration_id, url, origin, created_at, secret_sealed, secret_key_id,
     acknowledged_epoch, acknowledged_seq)
   select md5('shop' || n)::uuid, md5('connection' || n)::uuid, md5('registration' || n)::uuid, 'https://a.example/h',
          'https://a.example', $2, decode('ab', 'hex'), 'key', 1, 6
     from generate_series(1, $1::int) n`,
);
export const pickTestShops = statement<{ readonly shopId: string }>(
  'test_pick_shops',
  `select md5('shop' || n)::uuid as "shopId" from generate_series(1, $1::int) n`,
);

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the largest number of rows that one step of a statement's query plan handles. */
async function rowsOf(
  tx: Transaction,
  asked: Statement<object>,
  values: unknown[],
): Promise<number> {
  const explained = statement<{ readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
    `test_explain_${asked.name}`,
    `explain (analyze, format json) ${asked.text}`,
  );
  const [row] = await tx.query(explained, values);
  const most = (node: PlanNode): number =>
    Math.max(node['Actual Rows'] * node['Actual Loops'], ...(node.Plans ?? []).map(most));
  const [plan] = row?.['QUERY PLAN'] ?? [];
  assert.ok(plan);
  return most(plan.Plan);
}

describe('the query for due webhooks (decision 0104)', () => {
  it('the query uses only index look-ups, even if the planner has no statistics', async (context) => {
    await using base = await openTestDatabase();
    if (await base.db.isDistributed()) {
      context.skip('Citus is sent another statement');
      return;
    }
    await new WebhookFixture(base.db).hook('http://127.0.0.1:9');
    const fills = [
      fillTestShops,
      fillTestApps,
      fillTestConnections,
      fillTestHeads,
      fillTestWebhooks,
    ];
    await base.db.transaction(async (tx) => {
      for (const fill of fills) await tx.query(fill, [SHOPS, TEST_NOW]);
      const shops = await tx.query(pickTestShops, [20]);
      const shopIds = shops.map(({ shopId }) => shopId);
      const found = [shopIds, ['key'], TEST_NOW, 0, 1_024];
      assert.equal((await tx.query(findDueDeliveries, found)).length, 20);
      assert.equal(await rowsOf(tx, findDueDeliveries, found), 20);
    });
  });
});
