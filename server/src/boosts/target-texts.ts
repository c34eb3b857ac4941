import type { Queryable } from '../database/database.ts';
import { readTargets, type TargetColumns } from './boost-target.ts';
import { targetOf } from './show-boost.ts';

/** Targets kept at most, some 1.5 kB each: more than the cards that shops look for at one time; 30 MB. */
const TEXTS_MAX = 20_000;

/** Tells the JSON text of a boost's target. */
export type TargetText = (boost: TargetColumns) => string;

/**
 * What boosts are for as JSON text: four fifths of a list, and the same in the lists of many shops. Kept under the rules of
 * the lists themselves: news of the catalog drops everything, and who may not trust that they heard it asks anew.
 */
export class TargetTexts {
  readonly #textsMax: number;
  #kept = new Map<string, string>();

  constructor(textsMax: number = TEXTS_MAX) {
    this.#textsMax = textsMax;
  }

  /** The targets of a shop's boosts. `isTrusted`: the channel is proven, so that what is kept is right. */
  async find(
    db: Queryable,
    shopId: string,
    boosts: readonly (TargetColumns & { readonly id: string })[],
    isTrusted: boolean,
  ): Promise<TargetText> {
    const kept = this.#kept;
    const texts = new Map<string, string>();
    const missing = new Map<string, TargetColumns & { readonly id: string }>();
    for (const boost of boosts) {
      const key = keyOf(shopId, boost);
      const text = isTrusted ? kept.get(key) : undefined;
      if (text === undefined) missing.set(key, boost);
      else texts.set(key, text);
    }
    if (missing.size > 0) {
      const resolve = await readTargets(db, shopId, [...missing.values()]);
      for (const [key, boost] of missing) texts.set(key, JSON.stringify(targetOf(boost, resolve)));
      // Another map: news came while these were read.
      if (isTrusted && kept === this.#kept) this.#keep(missing.keys(), texts);
    }
    return (boost) => {
      const text = texts.get(keyOf(shopId, boost));
      if (text === undefined) throw new Error('a boost whose target was not asked for');
      return text;
    };
  }

  /** Forgets everything, also what is being read. */
  drop(): void {
    this.#kept = new Map();
  }

  #keep(keys: Iterable<string>, texts: ReadonlyMap<string, string>): void {
    for (const key of keys) {
      // Begun anew rather than worn down one by one: what is wanted is back after one list of each shop.
      if (this.#kept.size >= this.#textsMax) this.#kept.clear();
      const text = texts.get(key);
      if (text !== undefined) this.#kept.set(key, text);
    }
  }
}

/** A grade may be the shop's own; cards and products are everybody's. */
function keyOf(shopId: string, { cardId, gradeId, productId }: TargetColumns): string {
  if (productId !== null) return `product ${productId}`;
  return gradeId === null ? `card ${cardId}` : `card ${cardId} ${gradeId} ${shopId}`;
}
