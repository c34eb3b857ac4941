import { LRUCache } from 'lru-cache';
import type { Queryable } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';

/** About 200 bytes each. */
const REMEMBERED_MAX = 10_000;

/**
 * Finds the rows of a client id, key or token in its shop, so that Citus asks one shard (decision
 * 0007). Those made before they named their shop need a look-up among all shops; it is made once,
 * because the shop of such a value never changes.
 */
export class ShopLookup {
  readonly #selectShop: Statement<{ readonly shopId: string }>;
  readonly #remembered = new LRUCache<string, string>({ max: REMEMBERED_MAX });

  /** @param selectShop its only parameter is the key */
  constructor(selectShop: Statement<{ readonly shopId: string }>) {
    this.#selectShop = selectShop;
  }

  /**
   * What `ask` finds in the shop of `key`. It first asks in the shop that `key` seems to name, if
   * any, which may be another shop or none.
   */
  async find<T>(
    db: Queryable,
    key: string,
    namedShopId: string | undefined,
    ask: (shopId: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const likely = this.#remembered.get(key) ?? namedShopId;
    const found = likely === undefined ? undefined : await ask(likely);
    if (found !== undefined) return found;
    const row = await db.one(this.#selectShop, [key]);
    if (row === undefined || row.shopId === likely) return undefined;
    this.#remembered.set(key, row.shopId);
    return await ask(row.shopId);
  }
}
