import { type LaneBounds, Lanes } from '../base/lanes.ts';
import type { Database, Transaction } from '../database/database.ts';
import { unavailable } from '../http/errors.ts';

/** Transactions of one shop's pages at once in one process: persons write less than systems do, and never wait behind them. */
const SHOP_BOUNDS: LaneBounds = { atOnce: 2, waitingMax: 100, waitMsMax: 15_000 };

/**
 * Runs `work` in a transaction when it is the shop's turn among the console's writes.
 *
 * @throws ApiError 503 when too many wait already, or this one waited too long: nothing was written
 */
export type WriteInTurn = <T>(shopId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Makes the turns of all shops in this process. */
export function takeTurns(db: Database): WriteInTurn {
  const lanes = new Lanes(SHOP_BOUNDS);
  return async (shopId, work) => {
    const done = await lanes.take(shopId, async () => await db.transaction(work));
    if (done === undefined) throw unavailable({ detail: 'Too many writes of the shop wait.' });
    return done.value;
  };
}
