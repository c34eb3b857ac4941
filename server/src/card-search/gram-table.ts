import { Uint32List } from './uint32-list.ts';

/**
 * Maps a gram to its postings: the ascending numbers of the texts that contain the gram. A gram is
 * a UTF-16 unit or a pair of units (a bigram). All postings are in one array, 4 bytes each.
 */
export interface GramTable {
  readonly slots: GramSlots;
  /** The start of each slot's postings, followed by the end of the last. */
  readonly offsets: Uint32Array;
  readonly postings: Uint32Array;
  /** The number of texts that contain each slot's gram, including those without a posting. */
  readonly counts: Uint32Array;
}

/**
 * Limits the postings of a single unit to those of the shortest names. They serve queries of one
 * character, which show 25 cards; the prefix search finds names that start with it. All postings of
 * single units would be 40 % of the index.
 */
const SINGLES_MAX = 4_096;

/** Encodes a bigram, or a single unit preceded by 0. No text contains U+0000. */
export function gramAt(text: string, at: number, length: 1 | 2): number {
  if (length === 1) return text.charCodeAt(at);
  return ((text.charCodeAt(at) << 16) | text.charCodeAt(at + 1)) >>> 0;
}

/** Returns the grams of every text with this key: all its bigrams, or its only unit. */
export function gramsOf(key: string): number[] {
  if (key.length === 1) return [gramAt(key, 0, 1)];
  const grams = new Set<number>();
  for (let at = 0; at + 1 < key.length; at++) grams.add(gramAt(key, at, 2));
  return [...grams];
}

/**
 * A hash table from gram to slot, with open addressing. A Map of a million numbers above 2^31 would
 * take ten times the memory.
 */
export class GramSlots {
  #grams = new Uint32Array(1_024);
  #slots = new Uint32Array(1_024);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  find(gram: number): number {
    return (this.#slots[this.#probe(gram)] ?? 0) - 1;
  }

  findOrAdd(gram: number): number {
    const bucket = this.#probe(gram);
    const slot = this.#slots[bucket] ?? 0;
    if (slot > 0) return slot - 1;
    this.#grams[bucket] = gram;
    this.#slots[bucket] = ++this.#size;
    // Keep the table at most half full, so that a look-up probes only one or two other buckets.
    if (this.#size * 2 > this.#slots.length) this.#grow();
    return this.#size - 1;
  }

  #probe(gram: number): number {
    const mask = this.#slots.length - 1;
    // This is Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
    let bucket = (Math.imul(gram, 0x9e_37_79_b1) >>> 7) & mask;
    while ((this.#slots[bucket] ?? 0) !== 0 && this.#grams[bucket] !== gram) {
      bucket = (bucket + 1) & mask;
    }
    return bucket;
  }

  #grow(): void {
    const [grams, slots] = [this.#grams, this.#slots];
    this.#grams = new Uint32Array(grams.length * 2);
    this.#slots = new Uint32Array(slots.length * 2);
    for (const [at, slot] of slots.entries()) {
      if (slot === 0) continue;
      const bucket = this.#probe(grams[at] ?? 0);
      this.#grams[bucket] = grams[at] ?? 0;
      this.#slots[bucket] = slot;
    }
  }
}

export function buildGrams(texts: readonly string[]): GramTable {
  const slots = new GramSlots();
  const found = new Uint32List();
  const lastText = new Uint32List();
  const isSingle: boolean[] = [];
  visitGrams(texts, (gram, text) => {
    const slot = slots.findOrAdd(gram);
    if (slot === found.length) {
      found.push(0);
      lastText.push(0);
      isSingle.push(gram <= 0xff_ff);
    }
    if (lastText.at(slot) === text + 1) return;
    lastText.set(slot, text + 1);
    found.set(slot, found.at(slot) + 1);
  });
  const counts = found.view().slice();
  const offsets = new Uint32Array(counts.length + 1);
  for (const [slot, count] of counts.entries()) {
    const kept = isSingle[slot] === true ? Math.min(count, SINGLES_MAX) : count;
    offsets[slot + 1] = (offsets[slot] ?? 0) + kept;
  }
  const postings = new Uint32Array(offsets.at(-1) ?? 0);
  const next = offsets.slice();
  visitGrams(texts, (gram, text) => {
    const slot = slots.find(gram);
    const at = next[slot] ?? 0;
    const isKnown = at > (offsets[slot] ?? 0) && postings[at - 1] === text;
    if (isKnown || at === offsets[slot + 1]) return;
    postings[at] = text;
    next[slot] = at + 1;
  });
  return { slots, offsets, postings, counts };
}

function visitGrams(texts: readonly string[], visit: (gram: number, text: number) => void): void {
  for (const [number, text] of texts.entries()) {
    for (let at = 0; at < text.length; at++) {
      visit(gramAt(text, at, 1), number);
      if (at + 1 < text.length) visit(gramAt(text, at, 2), number);
    }
  }
}

export function postingsOf({ offsets, postings }: GramTable, slot: number): Uint32Array {
  return postings.subarray(offsets[slot] ?? 0, offsets[slot + 1] ?? 0);
}

/** Returns an upper bound for the texts that contain a key: the count of its rarest gram. */
export function countAtMost({ slots, counts }: GramTable, key: string): number {
  let least = Number.POSITIVE_INFINITY;
  for (const gram of gramsOf(key)) {
    const slot = slots.find(gram);
    if (slot < 0) return 0;
    least = Math.min(least, counts[slot] ?? 0);
  }
  return Number.isFinite(least) ? least : 0;
}
