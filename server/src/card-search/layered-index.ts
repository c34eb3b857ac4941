import {
  CardIndex,
  compareHits,
  type Hit,
  parseQuery,
  type SearchableCard,
  wantsSimilar,
} from './card-index.ts';
import { findPartial } from './find-partial.ts';

/**
 * Limits the cards of a merged layer, because searches wait while it is built: about 50 ms. A lower
 * limit would leave more layers to search; a higher limit would delay searches longer.
 */
export const LAYER_CARDS_MAX = 2_000;
/** Neighboring layers are merged unless the older is more than this many times as large. */
const MERGE_RATIO = 2;
/**
 * A larger layer is never merged: together with a newer layer of at least half its size it would
 * exceed `LAYER_CARDS_MAX`.
 */
const MERGEABLE_CARDS_MAX = LAYER_CARDS_MAX / (1 + 1 / MERGE_RATIO);

/** Maps the id of a changed card to the current card, or to null if it is inactive. */
type Changed = ReadonlyMap<string, SearchableCard | null>;

interface Layer {
  /** The changes in this layer, or null if the layer is too large to be merged. */
  readonly changed: Changed | null;
  readonly index: CardIndex;
}

export interface IndexSize {
  readonly base: number;
  readonly layered: number;
  readonly layers: number;
}

/**
 * An immutable base index with layers of later changes. A newer layer hides the cards of older
 * layers. Two neighboring layers are merged while the newer is at least half as large as the older
 * and both together have at most `LAYER_CARDS_MAX` cards. A card is therefore rebuilt at most 11
 * times (log2 of 2,000), and there are at most 12 layers plus one for every 1,000 changed cards.
 */
export class LayeredIndex {
  readonly #base: CardIndex;
  readonly #layers: Layer[] = [];
  readonly #newest = new Map<string, Layer>();

  constructor(base: CardIndex) {
    this.#base = base;
  }

  get size(): IndexSize {
    const { length } = this.#layers;
    return { base: this.#base.size, layered: this.#newest.size, layers: length };
  }

  apply(ids: readonly string[], cards: readonly SearchableCard[]): void {
    if (ids.length === 0) return;
    let changed = new Map<string, SearchableCard | null>(ids.map((id) => [id, null]));
    for (const card of cards) changed.set(card.id, card);
    for (let older = this.#mergeable(changed); older !== null; older = this.#mergeable(changed)) {
      changed = new Map([...older, ...changed]);
      this.#layers.pop();
    }
    const active = [...changed.values()].filter((card) => card !== null);
    const isMergeable = changed.size <= MERGEABLE_CARDS_MAX;
    const layer = { changed: isMergeable ? changed : null, index: CardIndex.build(active) };
    this.#layers.push(layer);
    for (const id of changed.keys()) this.#newest.set(id, layer);
  }

  /** Returns the cards of the newest layer if `newer` is to be merged into it, else null. */
  #mergeable(newer: Changed): Changed | null {
    const older = this.#layers.at(-1)?.changed ?? null;
    if (older === null || older.size > newer.size * MERGE_RATIO) return null;
    return older.size + newer.size > LAYER_CARDS_MAX ? null : older;
  }

  /** Returns the ids of the best cards. If no card matches all words, some words are dropped. */
  find(text: string, limit: number): readonly string[] {
    const ids = this.#find(text, limit, true);
    if (ids.length > 0) return ids;
    return findPartial(text, (part, withSimilar) => this.#find(part, limit, withSimilar));
  }

  #find(text: string, limit: number, withSimilar: boolean): string[] {
    const query = parseQuery(text);
    const found = this.#searchAll((index, isHidden) => index.find(query, limit, isHidden));
    const similar =
      withSimilar && wantsSimilar(found)
        ? this.#searchAll((index, isHidden) => index.findSimilar(query, limit, isHidden))
        : [];
    const ids = [...found, ...similar].toSorted(compareHits).map(({ id }) => id);
    return [...new Set(ids)].slice(0, limit);
  }

  #searchAll(search: (index: CardIndex, isHidden?: (id: string) => boolean) => Hit[]): Hit[] {
    const newest = this.#newest;
    if (newest.size === 0) return search(this.#base);
    const hits = search(this.#base, (id) => newest.has(id));
    for (const layer of this.#layers) {
      hits.push(...search(layer.index, (id) => newest.get(id) !== layer));
    }
    return hits;
  }
}
