import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * The shop whose rows a statement writes on Citus. Its clock is the coordinator's: those of the
 * nodes differ, and Citus refuses `clock_timestamp()` in an update.
 */
export interface OneShop {
  readonly shopId: string;
  /** As text: a `Date` would lose the microseconds. */
  readonly at: string;
}

export interface ShopGroup<T> {
  /** Null on plain PostgreSQL, where one statement writes the rows of many shops. */
  readonly shop: OneShop | null;
  readonly items: readonly T[];
}

export const readClock = statement<{ readonly at: string }>(
  'read_clock',
  'select clock_timestamp()::text as at',
);

/** The items that one statement may write: all of them, or on Citus those of each shop. */
export async function groupByShop<T>(
  tx: Transaction,
  items: readonly T[],
  shopIdOf: (item: T) => string,
): Promise<readonly ShopGroup<T>[]> {
  if (!(await tx.isDistributed())) return [{ shop: null, items }];
  const clock = await tx.one(readClock);
  if (clock === undefined) throw new Error('the database has no time');
  const groups = [...Map.groupBy(items, shopIdOf)];
  return groups.map(([shopId, some]) => ({ shop: { shopId, at: clock.at }, items: some }));
}
