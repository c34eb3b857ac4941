import type pg from 'pg';

/** On Citus: a copy on every node, the rows of a shop together on one node, or the coordinator. */
type Placement = 'reference' | 'by_shop' | 'local';

/**
 * Where each table lies on a Citus cluster (decision 0130). A table that a foreign key refers to
 * stands before the tables that refer to it.
 */
export const PLACEMENTS: Readonly<Record<Placement, readonly string[]>> = {
  // Shared by all shops. The shops themselves are one because slugs are unique among all shops.
  reference: ['shop', 'account', 'game', 'card', 'product', 'third_party_grade', 'restore'],
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
    'connection',
    'site',
    'location',
    'unit',
    'stock_count',
    'stock_movement',
    'unit_status_change',
    'boost',
    'boost_purchase',
    'webhook',
    'webhook_attempt',
    'feed_read',
    'notice_hour',
    'lag_sample',
    'audit_event',
  ],
  local: [
    // Sign-in and the service's own secrets belong to no shop.
    'session',
    'passkey',
    'passkey_challenge',
    'sign_in_attempt',
    'sign_in_budget',
    'sign_in_record',
    'sign_in_burst',
    'signing_key',
    'oauth_artifact',
    'oauth_answer',
    'cursor_key',
    // The catalog's positions, from one sequence, and the work that follows them.
    'catalog_change',
    'renamed_game',
    'catalog_restamp',
    'schema_migration',
    // One row each for jobs over all shops.
    'notice_roll_up',
    'lag_sampling',
    // A queue over all shops that is claimed with `skip locked`.
    'stale_photo',
  ],
};

/** All tables of shops are distributed alike, so that a shop's rows lie on one node. */
const FIRST = PLACEMENTS.by_shop[0];

const placementsOnCitus = {
  reference: (table: string) => `select create_reference_table('${table}')`,
  by_shop: (table: string) =>
    `select create_distributed_table('${table}', 'shop_id', colocate_with => '${table === FIRST ? 'none' : FIRST}')`,
} as const;

export async function hasCitus(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'");
  return rowCount === 1;
}

/** Places the tables that exist and are not placed yet; returns their names. */
export async function placeTables(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
        and not exists (select from pg_dist_partition p where p.logicalrelid = c.oid)`,
  );
  const unplaced = new Set(rows.map(({ name }) => name));
  const placed: string[] = [];
  for (const kind of ['reference', 'by_shop'] as const) {
    for (const table of PLACEMENTS[kind].filter((name) => unplaced.has(name))) {
      await client.query(placementsOnCitus[kind](table));
      placed.push(table);
    }
  }
  return placed;
}
