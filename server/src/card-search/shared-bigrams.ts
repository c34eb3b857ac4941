import { type GramTable, postingsOf } from './gram-table.ts';
import { partitionPoint } from './grouped.ts';

/** Limits the bigrams of a query, because counts are stored in one byte each. */
const BIGRAMS_MAX = 255;

export interface SharedBigramsQuery {
  readonly bigrams: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly missing: number;
  readonly countedMax: number;
  readonly textsMax: number;
}

/**
 * Reused by all searches: V8 answers new arrays of megabytes with full collections of up to 160 ms.
 * A search runs to its end before the next one starts.
 */
let sharedScratch = new Uint8Array();
let enoughScratch = new Uint32Array();

/** Returns the texts that share enough bigrams: most shared first, then by number. */
export function findTextsSharingBigrams(
  grams: GramTable,
  sharing: SharedBigramsQuery,
): Uint32Array {
  const { bigrams, from, to, missing, countedMax, textsMax } = sharing;
  const lists = bigrams
    .map((gram) => grams.slots.find(gram))
    .filter((slot) => slot >= 0)
    .map((slot) => within(postingsOf(grams, slot), from, to))
    .toSorted((a, b) => a.length - b.length)
    .slice(0, BIGRAMS_MAX);
  let [counted, postings] = [0, 0];
  for (const { length } of lists) {
    if (postings + length > countedMax) break;
    counted++;
    postings += length;
  }
  // Every text lacks bigrams without a slot, but may contain those that are not counted.
  const lackedByAll = bigrams.length - lists.length;
  const sharedMin = Math.max(1, counted + lackedByAll - missing);
  const enoughMax = Math.min(to - from, Math.floor(postings / sharedMin));
  if (sharedScratch.length < to - from) sharedScratch = new Uint8Array(to - from);
  if (enoughScratch.length < enoughMax) enoughScratch = new Uint32Array(enoughMax);
  const shared = sharedScratch.subarray(0, to - from).fill(0);
  const enough = enoughScratch;
  let size = 0;
  for (const list of lists.slice(0, counted)) {
    for (let at = 0; at < list.length; at++) {
      const offset = (list[at] ?? 0) - from;
      const count = (shared[offset] ?? 0) + 1;
      shared[offset] = count;
      if (count === sharedMin) enough[size++] = offset;
    }
  }
  return mostShared(shared, enough.subarray(0, size), textsMax).map((offset) => offset + from);
}

function mostShared(shared: Uint8Array, enough: Uint32Array, placesMax: number): Uint32Array {
  const sizes = new Uint32Array(BIGRAMS_MAX + 1);
  for (const offset of enough) {
    const count = shared[offset] ?? 0;
    sizes[count] = (sizes[count] ?? 0) + 1;
  }
  const places = new Uint32Array(Math.min(enough.length, placesMax));
  // The start index of each count in the result, for the counts that fit completely.
  const next = new Uint32Array(BIGRAMS_MAX + 1);
  let size = 0;
  let lowest = BIGRAMS_MAX;
  for (; lowest > 0 && size + (sizes[lowest] ?? 0) <= places.length; lowest--) {
    next[lowest] = size;
    size += sizes[lowest] ?? 0;
  }
  for (const offset of enough) {
    const count = shared[offset] ?? 0;
    if (count <= lowest) continue;
    const at = next[count] ?? 0;
    places[at] = offset;
    next[count] = at + 1;
  }
  for (let count = BIGRAMS_MAX; count > lowest; count--) {
    const end = next[count] ?? 0;
    places.subarray(end - (sizes[count] ?? 0), end).sort();
  }
  // The next count has more texts than fit: scan in order and stop when the result is full.
  for (let offset = 0; size < places.length && offset < shared.length; offset++) {
    if (shared[offset] === lowest) places[size++] = offset;
  }
  return places;
}

function within(postings: Uint32Array, from: number, to: number): Uint32Array {
  return postings.subarray(
    partitionPoint(postings.length, (at) => (postings[at] ?? 0) < from),
    partitionPoint(postings.length, (at) => (postings[at] ?? 0) < to),
  );
}
