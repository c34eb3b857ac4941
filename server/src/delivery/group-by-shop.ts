import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * The one shop whose rows a statement writes on Citus, with the coordinator's time, because the
 * clocks of the nodes differ and Citus refuses `clock_timestamp()` in an update.
 */
export interface ShopOnCitus {
  readonly shopId: string;
  /** The coordinator's time as text, because a `Date` would lose the microseconds. */
  readonly at: string;
}

export interface ShopGroup<T> {
  /** Null on plain PostgreSQL, where one statement writes the rows of many shops. */
  readonly shop: ShopOnCitus | null;
  readonly items: readonly T[];
}

export const readClock = statement<{ readonly at: string }>(
  'read_clock',
  'select clock_timestamp()::text as at',
);

/** Groups items so that one statement may write each group. Only Citus needs a group per shop. */
export async function groupByShop<T>(
  db: Queryable,
  items: readonly T[],
  shopIdOf: (item: T) => string,
): Promise<readonly ShopGroup<T>[]> {
  if (!(await db.isDistributed())) return [{ shop: null, items }];
  const clock = await db.one(readClock);
  if (clock === undefined) throw new Error('the database has no time');
  const groups = [...Map.groupBy(items, shopIdOf)];
  return groups.map(([shopId, some]) => ({ shop: { shopId, at: clock.at }, items: some }));
}
