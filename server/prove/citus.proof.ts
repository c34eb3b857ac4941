import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import pg from 'pg';
import { createOnNodes } from '../../scripts/citus.ts';
import { listMigrations, migrate } from '../src/database/migrate.ts';
import { PLACEMENTS } from '../src/database/placement.ts';
import { postgresqlEngine } from '../src/database/postgresql-engine.ts';
import { citusNodes } from '../test/citus-nodes.ts';
import { CitusSession } from '../test/citus-session.ts';
import { findStatements } from '../test/statements.ts';
import { openTestDatabase } from '../test/test-database.ts';

/**
 * Statements that are sent to plain PostgreSQL only. On Citus, other statements do the same work
 * for one shop at a time.
 */
const NOT_ON_CITUS: readonly string[] = [
  'bring_retries_forward',
  'claim_webhooks',
  'delete_excess_webhook_attempts',
  'delete_old_webhook_attempts',
  'delete_expired_stored_responses',
  'delete_expired_artifacts',
  'find_due_of_shops',
  'find_failing_readers',
  'upsert_feed_reads',
  'lock_leased_webhooks',
  'settle_delivered_webhooks',
  'settle_webhooks',
];

/**
 * Statements of one shop that send rows to several workers, so that their commit needs all of them.
 * On Citus, statements with one write each do the same work.
 */
const OF_PLAIN_POSTGRESQL: readonly string[] = [
  'insert_tokens',
  'stamp_moved_units',
  'stamp_units',
];

/**
 * Statements that query every shard: jobs over all shops, and look-ups by values that do not
 * contain the shop id.
 */
const OF_ALL_SHOPS: readonly string[] = [
  'bring_all_webhooks_forward',
  'count_failing_webhooks',
  'count_secrets_by_key',
  'delete_excess_webhook_attempts_on_citus',
  'delete_old_webhook_attempts_on_citus',
  'expire_artifacts',
  'find_due',
  'find_due_of_shops_on_citus',
  'find_expired_secrets',
  'find_leased_webhooks',
  'find_secrets_to_reseal',
  'select_stale_units',
  'find_webhooks_of_ended',
  'list_shops_with_webhooks',
  'select_connection_details',
  'select_test_delivery_state',
  'record_attempt_results',
  'remove_stock_movements',
  'select_any_other_membership',
  'select_approvals_to_renew',
  'select_invitation_by_secret',
  'select_newest_epoch',
  'select_other_membership',
  'select_shop_of_app',
  'select_shop_of_artifact',
  'select_shop_of_key',
  'select_shops_of_account',
  'select_shops_of_expired_stored_responses',
  'select_shops_of_expired_artifacts',
  'select_shops_of_expired_invitations',
  'select_shops_of_old_audit_events',
  'select_shops_of_old_stock_imports',
  'select_shops_to_check',
  'select_shops_to_record',
  'select_shops_to_tell',
];

/** The statements that run most often. Each must query one shard. */
const HOT: readonly string[] = [
  'select_feed_head',
  'read_connection_state',
  'select_access',
  'select_shop_key_by_hash',
  'select_app',
  'select_token_to_exchange',
  'advance_head_by',
  'update_units_of_shop',
  'insert_units_of_shop',
  'spend_token',
  'insert_issued_tokens',
  'keep_answer',
  'claim_webhooks_of_shop',
  'select_feed_page',
  'select_live_boosts',
];

describe('Citus (decision 0130)', () => {
  it('every statement runs on Citus, and a statement of one shop runs on one shard only', async () => {
    await using base = await openTestDatabase();
    await using session = await CitusSession.open(base.engine);
    const shardsOf = new Map<string, number>();
    const refused = new Map<string, string>();
    const ofSeveralWorkers: string[] = [];
    for (const { statement } of await findStatements()) {
      const { refusal, shards, workers } = await session.execute(statement);
      if (shards === 1 && workers > 1) ofSeveralWorkers.push(statement.name);
      if (refusal === null) shardsOf.set(statement.name, shards);
      else refused.set(statement.name, refusal);
    }
    assert.deepEqual(
      [...refused.keys()].toSorted(),
      NOT_ON_CITUS.toSorted(),
      [...refused].join('\n'),
    );
    const ofAllShops = [...shardsOf].filter(([, shards]) => shards > 1).map(([name]) => name);
    for (const name of HOT) assert.equal(shardsOf.get(name), 1, name);
    assert.deepEqual(ofAllShops.toSorted(), OF_ALL_SHOPS.toSorted());
    assert.deepEqual(ofSeveralWorkers.toSorted(), OF_PLAIN_POSTGRESQL.toSorted());
  });

  it('a statement stops waiting for a lock on a worker after the time limit of the service', async () => {
    await using base = await openTestDatabase();
    await using session = await CitusSession.open(base.engine);
    const other = new pg.Client(base.engine.clientConfig());
    await other.connect();
    try {
      await session.lockHead();
      await assert.rejects(
        other.query('update feed_head set seq = seq + 1 where shop_id = $1', [session.shopId]),
        {
          code: '55P03',
        },
      );
    } finally {
      await other.end();
    }
  });

  it('the migrations after 13 run on a distributed database', async () => {
    const name = `test_${randomBytes(8).toString('hex')}`;
    const nodes = citusNodes();
    // The database is removed together with the servers.
    await createOnNodes(nodes, name);
    const engine = postgresqlEngine(nodes.coordinator.url.replace(/\/postgres$/, `/${name}`));
    const all = listMigrations();
    await migrate(engine, all.slice(0, 13));
    assert.equal((await migrate(engine, all)).applied.length, all.length - 13);
    const client = new pg.Client(engine.clientConfig());
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string }>(
        `select logicalrelid::text as name from pg_dist_partition where partmethod = 'h'`,
      );
      assert.deepEqual(rows.map((row) => row.name).toSorted(), PLACEMENTS.by_shop.toSorted());
    } finally {
      await client.end();
      await engine.close();
    }
  });
});
