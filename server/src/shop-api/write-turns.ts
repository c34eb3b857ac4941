import { type LaneBounds, Lanes } from '../base/lanes.ts';
import type { Database, Transaction } from '../database/database.ts';
import { unavailable } from '../http/errors.ts';

/**
 * Transactions of one shop in one process. Writers of a shop wait for each other on its head row, each with a pooled
 * connection in hand: two keep that row busy, more would only take the connections that other shops need. A thousand
 * that wait are done in some seconds; the longest wait is well below the time that a handler has.
 */
const SHOP_BOUNDS: LaneBounds = { atOnce: 2, waitingMax: 1_000, waitMsMax: 30_000 };

/**
 * Runs `work` in a transaction when it is the shop's turn.
 *
 * @throws ApiError 503 when too many writes of the shop wait already, or this one waited too long: nothing was written
 */
export type WriteInTurn = <T>(shopId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;

/** Makes the turns of all shops in this process. */
export function takeTurns(db: Database, bounds = SHOP_BOUNDS): WriteInTurn {
  const lanes = new Lanes(bounds);
  return async (shopId, work) => {
    const done = await lanes.take(shopId, async () => await db.transaction(work));
    if (done === undefined) throw unavailable({ detail: 'Too many writes of the shop wait.' });
    return done.value;
  };
}
