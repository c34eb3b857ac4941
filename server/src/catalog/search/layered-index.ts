import {
  CardIndex,
  compareHits,
  type Hit,
  parseQuery,
  type SearchableCard,
  wantsSimilar,
} from './card-index.ts';

/**
 * Cards of the largest layer that is built again while searches wait for it: some 50 ms. Fewer would leave more layers
 * to ask, more would hold searches up for longer.
 */
export const LAYER_CARDS_MAX = 2_000;
/** A layer is merged into the one below unless that one is more than this many times as large. */
const MERGE_RATIO = 2;
/** A larger layer meets no newer one with which it stays within both bounds. */
const KEPT_CARDS_MAX = LAYER_CARDS_MAX / (1 + 1 / MERGE_RATIO);

/** What changed: a card as it is now, or null when it is no longer active. */
type Changed = ReadonlyMap<string, SearchableCard | null>;

interface Layer {
  /** What it holds; null when it is so large that it is never merged again. */
  readonly changed: Changed | null;
  readonly index: CardIndex;
}

/** How large an index is. */
export interface IndexSize {
  /** Cards of the base. */
  readonly base: number;
  /** Changed cards in the layers above it. */
  readonly layered: number;
  readonly layers: number;
}

/**
 * A base that never changes, and layers of what changed since, each newer one hiding the older answers of its cards.
 * Every change makes a new layer; two neighbours are merged as long as the newer is at least half as large as the older
 * and both have `LAYER_CARDS_MAX` cards at most. So a card is built again at most 11 times (log2 of 2,000), and there
 * are at most 12 layers and one more for every 1,000 changed cards.
 */
export class LayeredIndex {
  readonly #base: CardIndex;
  readonly #layers: Layer[] = [];
  /** The newest layer of each card that is in any. */
  readonly #newest = new Map<string, Layer>();

  constructor(base: CardIndex) {
    this.#base = base;
  }

  get size(): IndexSize {
    const { length } = this.#layers;
    return { base: this.#base.size, layered: this.#newest.size, layers: length };
  }

  /** Takes in what changed: `ids` are the cards that changed, `cards` those of them that are active. */
  apply(ids: readonly string[], cards: readonly SearchableCard[]): void {
    if (ids.length === 0) return;
    let changed = new Map<string, SearchableCard | null>(ids.map((id) => [id, null]));
    for (const card of cards) changed.set(card.id, card);
    for (let older = this.#mergeable(changed); older !== null; older = this.#mergeable(changed)) {
      changed = new Map([...older, ...changed]);
      this.#layers.pop();
    }
    const active = [...changed.values()].filter((card) => card !== null);
    const isKept = changed.size <= KEPT_CARDS_MAX;
    const layer = { changed: isKept ? changed : null, index: CardIndex.build(active) };
    this.#layers.push(layer);
    for (const id of changed.keys()) this.#newest.set(id, layer);
  }

  /** What the newest layer holds, when it is to be merged with what is newer. */
  #mergeable(newer: Changed): Changed | null {
    const older = this.#layers.at(-1)?.changed ?? null;
    if (older === null || older.size > newer.size * MERGE_RATIO) return null;
    return older.size + newer.size > LAYER_CARDS_MAX ? null : older;
  }

  /** The ids of the best `limit` cards for what a person typed, best first. */
  find(text: string, limit: number): string[] {
    const query = parseQuery(text);
    const found = this.#ask((index, isHidden) => index.find(query, limit, isHidden));
    const similar = wantsSimilar(found)
      ? this.#ask((index, isHidden) => index.findSimilar(query, limit, isHidden))
      : [];
    const ids = [...found, ...similar].toSorted(compareHits).map(({ id }) => id);
    return [...new Set(ids)].slice(0, limit);
  }

  #ask(search: (index: CardIndex, isHidden?: (id: string) => boolean) => Hit[]): Hit[] {
    const newest = this.#newest;
    if (newest.size === 0) return search(this.#base);
    const hits = search(this.#base, (id) => newest.has(id));
    for (const layer of this.#layers) {
      hits.push(...search(layer.index, (id) => newest.get(id) !== layer));
    }
    return hits;
  }
}
