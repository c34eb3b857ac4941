import type { Queryable } from '../database/database.ts';
import { readTargets, type TargetColumns } from './boost-target.ts';
import { targetOf } from './render-boost.ts';

/** The maximum number of texts, 30 MB in total. All shops together rarely buy this many cards. */
const TEXTS_MAX = 20_000;

export type TargetText = (boost: TargetColumns) => string;

/**
 * Caches the targets of boosts as JSON. They make up about 80 % of a list response, and targets
 * without a grade are identical for all shops. A catalog notification clears the cache. A caller
 * that may have missed a notification bypasses it.
 */
export class TargetCache {
  readonly #textsMax: number;
  #cache = new Map<string, string>();

  constructor(textsMax: number = TEXTS_MAX) {
    this.#textsMax = textsMax;
  }

  /** Returns a function that looks up texts. Set `canUseCache` only while the channel is live. */
  async find(
    db: Queryable,
    shopId: string,
    boosts: readonly (TargetColumns & { readonly id: string })[],
    canUseCache: boolean,
  ): Promise<TargetText> {
    const cached = this.#cache;
    const texts = new Map<string, string>();
    const missing = new Map<string, TargetColumns & { readonly id: string }>();
    for (const boost of boosts) {
      const key = keyOf(shopId, boost);
      const text = canUseCache ? cached.get(key) : undefined;
      if (text === undefined) missing.set(key, boost);
      else texts.set(key, text);
    }
    if (missing.size > 0) {
      const resolve = await readTargets(db, shopId, [...missing.values()]);
      for (const [key, boost] of missing) texts.set(key, JSON.stringify(targetOf(boost, resolve)));
      // Store nothing if the map was replaced: the cache was cleared during the read.
      if (canUseCache && cached === this.#cache) this.#store(missing.keys(), texts);
    }
    return (boost) => {
      const text = texts.get(keyOf(shopId, boost));
      if (text === undefined) throw new Error('the boost has a target that was not looked up');
      return text;
    };
  }

  clear(): void {
    this.#cache = new Map();
  }

  #store(keys: Iterable<string>, texts: ReadonlyMap<string, string>): void {
    for (const key of keys) {
      // Clear a full cache completely. The next list of each shop fills it again.
      if (this.#cache.size >= this.#textsMax) this.#cache.clear();
      const text = texts.get(key);
      if (text !== undefined) this.#cache.set(key, text);
    }
  }
}

/** Returns the cache key. A grade may belong to one shop; cards and products are shared by all. */
function keyOf(shopId: string, { cardId, gradeId, productId }: TargetColumns): string {
  if (productId !== null) return `product ${productId}`;
  return gradeId === null ? `card ${cardId}` : `card ${cardId} ${gradeId} ${shopId}`;
}
