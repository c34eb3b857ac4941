/** What is left of the work that one query may do, in units of about 10 ns. */
export interface Budget {
  left: number;
}

/** The gram of a unit that begins a text is a pair with this. No folded text contains it. */
const START = 0xff_ff;
/**
 * Limits the postings of a single unit to those of the shortest texts. They serve queries of one
 * character, which show 25 cards. All postings of single units would be 40 % of the index.
 */
const SINGLES_MAX = 4_096;
/** Single units have a list each; pairs share as many lists as this, or fewer in a small index. */
const UNITS = 0x1_00_00;
const PAIR_LISTS_MAX = 2 ** 20;
/** Limits the lists to intersect. The rarest lists rule out nearly all texts. */
const LISTS_MAX = 5;
/** Limits the pairs of a query, because counts of shared pairs are stored in one byte each. */
const PAIRS_MAX = 255;

/** A pair of units, or a single unit (below `UNITS`). */
function pairOf(first: number, second: number): number {
  return first * UNITS + second;
}

/** Returns the grams of every text that contains a key: all its pairs, or its only unit. */
export function gramsOf(key: string): number[] {
  if (key.length === 1) return [key.charCodeAt(0)];
  const grams = new Set<number>();
  for (let at = 0; at + 1 < key.length; at++) {
    grams.add(pairOf(key.charCodeAt(at), key.charCodeAt(at + 1)));
  }
  return [...grams];
}

/** Returns the grams of every text that begins with a key. */
export function gramsOfStart(key: string): number[] {
  return [pairOf(START, key.charCodeAt(0)), ...(key.length > 1 ? gramsOf(key) : [])];
}

/**
 * Reused by all searches: V8 answers new arrays of megabytes with full collections of up to 160 ms.
 * A search runs to its end before the next one starts.
 */
let sharedScratch = new Uint8Array();

/**
 * The texts that contain each gram, in ascending lists. Pairs whose hashes collide share a list, so
 * a text of a list may lack the gram and must be compared.
 */
export class GramIndex {
  readonly #mask: number;
  readonly #offsets: Uint32Array;
  readonly #postings: Uint32Array;
  readonly #size: number;

  constructor(texts: readonly string[]) {
    this.#size = texts.length;
    const lists = Math.min(PAIR_LISTS_MAX, 2 ** Math.ceil(Math.log2(texts.length * 2 + 2)));
    this.#mask = lists - 1;
    const counts = new Uint32Array(UNITS + lists);
    const lastText = new Uint32Array(UNITS + lists);
    const visitLists = (visit: (list: number, text: number) => void): void => {
      lastText.fill(0);
      for (const [number, text] of texts.entries()) {
        this.#visitLists(text, (list) => {
          if (lastText[list] === number + 1) return;
          lastText[list] = number + 1;
          visit(list, number);
        });
      }
    };
    visitLists((list) => {
      const count = counts[list] ?? 0;
      if (list >= UNITS || count < SINGLES_MAX) counts[list] = count + 1;
    });
    this.#offsets = new Uint32Array(counts.length + 1);
    for (const [list, count] of counts.entries()) {
      this.#offsets[list + 1] = (this.#offsets[list] ?? 0) + count;
    }
    this.#postings = new Uint32Array(this.#offsets.at(-1) ?? 0);
    const next = this.#offsets.slice();
    visitLists((list, text) => {
      const at = next[list] ?? 0;
      if (at === this.#offsets[list + 1]) return;
      this.#postings[at] = text;
      next[list] = at + 1;
    });
  }

  #visitLists(text: string, visit: (list: number) => void): void {
    let before = START;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      visit(unit);
      visit(this.#listOf(pairOf(before, unit)));
      before = unit;
    }
  }

  #listOf(gram: number): number {
    if (gram < UNITS) return gram;
    // This is Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4).
    return UNITS + ((Math.imul(gram, 0x9e_37_79_b1) >>> 7) & this.#mask);
  }

  #textsWith(gram: number): Uint32Array {
    const list = this.#listOf(gram);
    return this.#postings.subarray(this.#offsets[list] ?? 0, this.#offsets[list + 1] ?? 0);
  }

  /** Returns an upper bound for the texts with all grams: the length of the shortest list. */
  countAtMost(grams: readonly number[]): number {
    const counts = grams.map((gram) => {
      const { length } = this.#textsWith(gram);
      return gram < UNITS && length === SINGLES_MAX ? this.#size : length;
    });
    return Math.min(...counts);
  }

  /**
   * Visits the wanted texts that may have all grams, shortest first, until `visit` returns false.
   * `kinds` has the kinds of each text as bits.
   */
  scan(
    grams: readonly number[],
    { kinds, wanted }: { readonly kinds: Uint8Array; readonly wanted: number },
    budget: Budget,
    visit: (text: number) => boolean,
  ): void {
    const lists = grams.map((gram) => this.#textsWith(gram));
    const [rarest, ...others] = lists.toSorted((a, b) => a.length - b.length).slice(0, LISTS_MAX);
    const places = new Uint32Array(others.length);
    for (const text of rarest ?? []) {
      if (--budget.left < 0) return;
      if (((kinds[text] ?? 0) & wanted) === 0) continue;
      let inLists = 0;
      for (; inLists < others.length; inLists++) {
        const list = others[inLists] ?? places;
        const at = seek(list, places[inLists] ?? 0, text);
        places[inLists] = at;
        if (list[at] !== text) break;
      }
      if (inLists === others.length && !visit(text)) return;
    }
  }

  /** Returns the texts of a range that lack few of the grams: those that lack the fewest. */
  mostSharing(
    grams: readonly number[],
    { from, to, missing, postingsMax, textsMax }: SharingRange,
    budget: Budget,
  ): Uint32Array {
    const lists = grams
      .map((gram) => this.#textsWith(gram))
      .map((list) => list.subarray(seek(list, 0, from), seek(list, 0, to)))
      .toSorted((a, b) => a.length - b.length)
      .slice(0, PAIRS_MAX);
    let left = Math.min(postingsMax, budget.left);
    const counted = lists.filter(({ length }) => (left -= length) >= 0);
    budget.left -= Math.min(postingsMax, postingsMax - left);
    const sharedMin = Math.max(1, counted.length - missing);
    if (sharedScratch.length < this.#size) sharedScratch = new Uint8Array(this.#size);
    const shared = sharedScratch.fill(0, from, to);
    const enough: number[] = [];
    for (const list of counted) {
      for (const text of list) {
        const count = (shared[text] ?? 0) + 1;
        shared[text] = count;
        if (count === sharedMin) enough.push(text);
      }
    }
    return mostShared(enough, shared, textsMax);
  }
}

/** The texts that `mostSharing` compares, and the limits of its work. */
export interface SharingRange {
  readonly from: number;
  readonly to: number;
  /** The most grams that a text may lack. */
  readonly missing: number;
  /** The longest lists are left out above this: a text may be in any of them. */
  readonly postingsMax: number;
  readonly textsMax: number;
}

function mostShared(texts: readonly number[], shared: Uint8Array, max: number): Uint32Array {
  const sizes = new Uint32Array(PAIRS_MAX + 1);
  for (const text of texts) sizes[shared[text] ?? 0] = (sizes[shared[text] ?? 0] ?? 0) + 1;
  let lowest = PAIRS_MAX;
  let left = max;
  while (lowest > 0 && left >= (sizes[lowest] ?? 0)) left -= sizes[lowest--] ?? 0;
  return Uint32Array.from(
    texts.filter((text) => {
      const count = shared[text] ?? 0;
      return count > lowest || (count === lowest && left-- > 0);
    }),
  );
}

/** Returns the first place from `from` with a number of at least `least`, in an ascending list. */
function seek(list: Uint32Array, from: number, least: number): number {
  // Most numbers are near, so the steps double before the bisection.
  let low = from;
  let high = from;
  for (let step = 1; high < list.length && (list[high] ?? 0) < least; step *= 2) {
    low = high + 1;
    high += step;
  }
  high = Math.min(high, list.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
