import { type ItemRow, ITEM_COLUMNS } from '../catalog/item-field.ts';
import { Columns, columnsOf, type StoredValues } from '../database/columns.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { BOOST_FIELDS } from './boost-fields.ts';
import type { BoostCondition } from './boost-status.ts';

/**
 * Live boosts are neither ended nor expired. A list contains all of them, at about 800 bytes each.
 * A higher limit would make responses of several megabytes; a lower one would be too small for the
 * price list of a large shop.
 */
export const LIVE_BOOSTS_MAX = 2_000;

/** A stored boost. If `gradeId` is null, any grade matches. */
export interface BoostRow extends StoredValues<typeof BOOST_FIELDS>, ItemRow, BoostCondition {
  readonly id: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

const COLUMNS = new Columns<Omit<BoostRow, 'id'>>({
  ...ITEM_COLUMNS,
  ...columnsOf(BOOST_FIELDS),
  isPaused: 'is_paused boolean',
  endedAt: 'ended_at timestamptz',
  createdAt: 'created_at timestamptz',
  updatedAt: 'updated_at timestamptz',
});

export const BOOST_COLUMNS = `boost_id as id, ${COLUMNS.select()}`;

/** Selects the boosts of the shop `$1` that are neither ended nor expired at `$2`. */
export const LIVE_BOOSTS = `select ${BOOST_COLUMNS} from boost
  where shop_id = $1 and ended_at is null
    and coalesce(ends_at, 'infinity'::timestamptz) > $2`;

export const lockBoostRow = statement<BoostRow>(
  'lock_boost_row',
  `select ${BOOST_COLUMNS}
  from boost where shop_id = $1 and boost_id = $2 for no key update`,
);

export const selectBoostRow = statement<BoostRow>(
  'select_boost_row',
  `select ${BOOST_COLUMNS}
  from boost where shop_id = $1 and boost_id = $2`,
);

export const selectBoostPage = statement<BoostRow>(
  'select_boost_page',
  `select ${BOOST_COLUMNS}
  from boost where shop_id = $1 and ($2::uuid is null or boost_id > $2)
  order by boost_id limit $3`,
);

// The order is highest price (spec 4.4), then newest change, then id (decision 0070).
export const selectLiveBoostRows = statement<BoostRow>(
  'select_live_boost_rows',
  `select ${BOOST_COLUMNS}
  from boost
  where shop_id = $1 and ended_at is null
    and coalesce(ends_at, 'infinity'::timestamptz) > $2 and not is_paused
  order by price_minor desc, updated_at desc, boost_id limit $3`,
);

export const countLiveBoosts = statement<{ live: number }>(
  'count_live_boosts',
  `select count(*)::int as live from boost
  where shop_id = $1 and ended_at is null and coalesce(ends_at, 'infinity'::timestamptz) > $2`,
);

// An advisory lock with two keys never collides with the catalog's lock, which has one key.
export const takeLiveBoostsLock = statement(
  'take_live_boosts_lock',
  `select pg_advisory_xact_lock($1::int, hashtext($2::text))`,
);

export const insertBoost = statement(
  'insert_boost',
  `insert into boost (shop_id, boost_id, ${COLUMNS.names()})
  values ($1, $2, ${COLUMNS.parameters(3)})
  on conflict (shop_id, boost_id) do nothing`,
);

export const updateBoost = statement(
  'update_boost',
  `update boost set (${COLUMNS.names()}) = row (${COLUMNS.parameters(3)})
  where shop_id = $1 and boost_id = $2`,
);

/** The first key of the advisory lock. It is arbitrary, but not used elsewhere. */
const LIVE_BOOSTS_LOCK = 720_154;

export async function lockBoost(
  tx: Transaction,
  shopId: string,
  id: string,
): Promise<BoostRow | undefined> {
  return await tx.one(lockBoostRow, [shopId, id]);
}

/**
 * Returns whether the shop may have another live boost. Holds a lock until the end of the
 * transaction, so the limit is exact. Call it only if a boost becomes live, after locking its row.
 */
export async function canAddLiveBoost(
  tx: Transaction,
  shopId: string,
  now: Date,
): Promise<boolean> {
  await tx.query(takeLiveBoostsLock, [LIVE_BOOSTS_LOCK, shopId]);
  return (await readLiveCount(tx, shopId, now)) < LIVE_BOOSTS_MAX;
}

export async function readLiveCount(db: Queryable, shopId: string, now: Date): Promise<number> {
  return (await db.one(countLiveBoosts, [shopId, now]))?.live ?? 0;
}

/** Returns false if a boost with that id was created concurrently. */
export async function insertBoostRow(
  tx: Transaction,
  shopId: string,
  row: BoostRow,
): Promise<boolean> {
  return (await tx.count(insertBoost, [shopId, row.id, ...COLUMNS.values(row)])) === 1;
}

export async function updateBoostRow(
  tx: Transaction,
  shopId: string,
  row: BoostRow,
): Promise<void> {
  await tx.query(updateBoost, [shopId, row.id, ...COLUMNS.values(row)]);
}

/** In list order: the boosts that are listed at `now`, or may be listed later without a write. */
export async function listLiveBoosts(
  db: Queryable,
  shopId: string,
  now: Date,
): Promise<BoostRow[]> {
  // If the clocks of nodes differ, a shop may exceed the limit: its cheapest boosts are omitted.
  return await db.query(selectLiveBoostRows, [shopId, now, LIVE_BOOSTS_MAX]);
}
