import { LRUCache } from 'lru-cache';
import type { Queryable } from '../database/database.ts';
import type { Statement } from '../database/statement.ts';

/** The maximum number of values whose shop is remembered. Each takes about 200 bytes. */
const REMEMBERED_MAX = 10_000;

/**
 * Finds the rows of a client id, key or token in its shop, so that Citus queries one shard
 * (decision 0007). Values of the older form do not embed the shop id, so their shop is looked up
 * among all shops. The result is remembered, because the shop of a value never changes.
 */
export class ShopLookup {
  readonly #selectShop: Statement<{ readonly shopId: string }>;
  readonly #remembered = new LRUCache<string, string>({ max: REMEMBERED_MAX });

  /** @param selectShop a statement with one parameter: the client id, key or token */
  constructor(selectShop: Statement<{ readonly shopId: string }>) {
    this.#selectShop = selectShop;
  }

  /**
   * Returns what `ask` finds in the shop of `key`. First tries `namedShopId`, the shop id that
   * `key` seems to embed. That shop may be the wrong one or not exist.
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
