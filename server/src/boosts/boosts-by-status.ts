import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { BOOST_COLUMNS, type BoostRow, LIVE_BOOSTS } from './boost-row.ts';
import { type BoostStatus, statusAt } from './boost-status.ts';

export interface BoostPage {
  readonly afterId: string | null;
  readonly limit: number;
}

// The status is not stored (decision 0070). Each of the three groups (live, ended, expired) has an
// index, because a shop has few live boosts but any number of others.

// Materialize the live boosts first: an index scan by id would also read expired boosts.
export const selectLiveBoostsById = statement<BoostRow>(
  'select_live_boosts_by_id',
  `with live as materialized (
    ${LIVE_BOOSTS}
  )
  select * from live where $3::uuid is null or id > $3
  order by id limit $4`,
);

export const selectExpiredBoostPage = statement<BoostRow>(
  'select_expired_boost_page',
  `select ${BOOST_COLUMNS}
  from boost
  where shop_id = $1 and ended_at is null and ends_at <= $2
    and ($3::uuid is null or boost_id > $3)
  order by boost_id limit $4`,
);

export const selectEndedBoostPage = statement<BoostRow>(
  'select_ended_boost_page',
  `select ${BOOST_COLUMNS}
  from boost
  where shop_id = $1 and ended_at is not null and ($2::uuid is null or boost_id > $2)
  order by boost_id limit $3`,
);

/** The number of live boosts per query, which is also the maximum for a shop. */
const LIVE_READ_MAX = 2_000;
/** One query is usually enough. A shop may exceed its limit if the clocks of nodes differ. */
const QUERIES_MAX = 4;

export async function readBoostsByStatus(
  db: Queryable,
  shopId: string,
  status: BoostStatus,
  { afterId, limit }: BoostPage,
  now: Date,
): Promise<BoostRow[]> {
  if (status === 'ended') return await db.query(selectEndedBoostPage, [shopId, afterId, limit]);
  if (status === 'expired') {
    return await db.query(selectExpiredBoostPage, [shopId, now, afterId, limit]);
  }
  const found: BoostRow[] = [];
  let after = afterId;
  for (let queryCount = 0; queryCount < QUERIES_MAX; queryCount++) {
    const live = await db.query(selectLiveBoostsById, [shopId, now, after, LIVE_READ_MAX]);
    for (const row of live) if (statusAt(row, now) === status) found.push(row);
    after = live.at(-1)?.id ?? after;
    if (live.length < LIVE_READ_MAX || found.length >= limit) break;
  }
  return found.slice(0, limit);
}
