import type pg from 'pg';
import { sessionSettings } from './postgresql-engine.ts';

/** `reference`: on every node. `by_shop`: on the shop's node. `local`: only on the coordinator. */
export type Placement = 'reference' | 'by_shop' | 'local';

/** A table comes after all tables that its foreign keys refer to (decision 0130). */
export const PLACEMENTS: Readonly<Record<Placement, readonly string[]>> = {
  // Tables that all shops share. `shop` is among them because slugs are unique across shops.
  reference: [
    'shop',
    'account',
    'game',
    'card',
    'card_external_id',
    'product',
    'third_party_grade',
    'restore',
  ],
  by_shop: [
    'feed_head',
    'member',
    'invitation',
    'invitation_pace',
    'shop_key',
    'shop_grade',
    'app',
    'app_secret',
    'approval',
    'oauth_artifact',
    'oauth_answer',
    'connection',
    'site',
    'location',
    'unit',
    'stock_count',
    'stock_movement',
    'unit_status_change',
    'boost',
    'boost_purchase',
    'receipt',
    'stock_import',
    'stock_file_layout',
    'webhook',
    'webhook_attempt',
    'feed_read',
    'notice_hour',
    'lag_sample',
    'health_notice',
    'audit_event',
  ],
  local: [
    // Sign-in data and the service's secrets belong to no shop.
    'session',
    'passkey',
    'passkey_challenge',
    'password_reset',
    'setup_code',
    'sign_in_attempt',
    'sign_in_budget',
    'sign_in_record',
    'sign_in_burst',
    'signing_key',
    'cursor_key',
    // Catalog positions come from one sequence. `renamed_game` and `catalog_restamp` queue the work
    // after a catalog change.
    'catalog_change',
    'renamed_game',
    'catalog_restamp',
    'schema_migration',
    'backup',
    'database_identity',
    // Each has one row, for a job over all shops.
    'notice_roll_up',
    'lag_sampling',
    'health_watch',
    // A queue over all shops, claimed with `skip locked`.
    'stale_photo',
  ],
};

/** On Citus these primary keys get `shop_id`. Elsewhere, older processes may not write it. */
export const KEYS_BY_SHOP: Readonly<Record<string, string>> = {
  oauth_artifact_pkey: 'shop_id, model, id',
  oauth_answer_pkey: 'shop_id, request_hash',
};

// All other `by_shop` tables are colocated with this one, so that a shop's rows are on one node.
const FIRST = PLACEMENTS.by_shop[0];

const placementsOnCitus = {
  reference: (table: string) => `select create_reference_table('${table}')`,
  by_shop: (table: string) =>
    `select create_distributed_table('${table}', 'shop_id', colocate_with => '${table === FIRST ? 'none' : FIRST}')`,
} as const;

// Citus does not pass these settings on to workers. A migration sets another lock timeout.
const WORKER_SETTINGS = {
  lock_timeout: `${sessionSettings.lock_timeout}ms`,
  jit: 'off',
} as const;

export async function hasCitus(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'");
  return rowCount === 1;
}

// By default, a transaction that has read all shards cannot write a reference table afterwards.
const COORDINATOR_SETTINGS = { 'citus.multi_shard_modify_mode': 'sequential' } as const;

/**
 * Sets the settings that nodes lack for this role and database. They apply to new sessions.
 * @returns one sentence for each worker that cannot be used
 */
export async function configureNodes(client: pg.Client): Promise<readonly string[]> {
  // By default Citus waits 30 s for a worker that does not respond.
  await client.query(`set citus.node_connection_timeout = '5s'`);
  await client.query(toBlock(COORDINATOR_SETTINGS));
  const { rows } = await client.query<{ node: string; reason: string }>(
    `select nodename || ':' || nodeport as node, result as reason from run_command_on_workers($1)
      where not success`,
    [toBlock(WORKER_SETTINGS)],
  );
  return rows.map(({ node, reason }) => `the Citus worker ${node} cannot be used: ${reason}`);
}

function toBlock(settings: Readonly<Record<string, string>>): string {
  const entries = Object.entries(settings);
  const commands = entries.map(
    ([name, value]) =>
      `execute format('alter role current_user in database %I set ${name} = ''${value}''',
         current_database());`,
  );
  return `do $$ begin
      if exists (
        select from pg_db_role_setting s join pg_database d on d.oid = s.setdatabase
          join pg_roles r on r.oid = s.setrole
         where d.datname = current_database() and r.rolname = current_user
           and s.setconfig @> '{${entries.map((entry) => entry.join('=')).join()}}')
      then return; end if;
      -- Otherwise Citus would send the settings to every other node.
      set local citus.enable_alter_role_set_propagation = off;
      ${commands.join('\n')}
    end $$`;
}

export async function placeTables(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string; hasShop: boolean }>(
    `select c.relname as name, exists (
         select from pg_attribute a
          where a.attrelid = c.oid and a.attname = 'shop_id' and not a.attisdropped) as "hasShop"
       from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
        and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)`,
  );
  await dropForeignKeysOfLocal(client);
  const unplaced = new Map(rows.map(({ name, hasShop }) => [name, hasShop]));
  const placed: string[] = [];
  for (const kind of ['reference', 'by_shop'] as const) {
    for (const table of PLACEMENTS[kind]) {
      const hasShop = unplaced.get(table);
      // A later migration creates the table, or adds its `shop_id`.
      if (hasShop === undefined || (kind === 'by_shop' && !hasShop)) continue;
      const key = KEYS_BY_SHOP[`${table}_pkey`];
      if (kind === 'by_shop') {
        await dropTriggers(client, table);
        if (key !== undefined) await addShopToKey(client, table, key);
      }
      await client.query(placementsOnCitus[kind](table));
      placed.push(table);
    }
  }
  return placed;
}

// To check a foreign key from a table of the coordinator to a reference table, Citus takes locks on a
// worker. Concurrent inserts then deadlock, and all inserts fail while that worker is down. No row
// of a reference table is ever deleted, so these keys are not needed.
async function dropForeignKeysOfLocal(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ table: string; name: string }>(
    `select conrelid::regclass::text as table, conname as name from pg_constraint
      where contype = 'f' and conrelid::regclass::text = any($1)
        and confrelid::regclass::text = any($2)`,
    [PLACEMENTS.local, PLACEMENTS.reference],
  );
  for (const { table, name } of rows) {
    await client.query(`alter table ${table} drop constraint ${name}`);
  }
}

// Citus refuses to distribute a table with triggers. The triggers of migration 0023 are only needed
// for the rows of older processes, which cannot run on Citus.
async function dropTriggers(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select tgname as name from pg_trigger where tgrelid = $1::regclass and not tgisinternal`,
    [table],
  );
  for (const { name } of rows) {
    await client.query(`drop trigger ${name} on ${table}`);
  }
}

// Rows without a shop are deleted, because they do not belong to a valid approval.
async function addShopToKey(client: pg.Client, table: string, key: string): Promise<void> {
  await client.query(`delete from ${table} where shop_id is null`);
  await client.query(`alter table ${table} drop constraint ${table}_pkey`);
  await client.query(`alter table ${table} add constraint ${table}_pkey primary key (${key})`);
}
