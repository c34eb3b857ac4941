/** The work that a query may still do, in units of about 10 ns. */
export interface Budget {
  left: number;
}

/** Selects the texts from `from` to `to` that lack at most `missing` grams. */
export interface SharingRange {
  readonly from: number;
  readonly to: number;
  readonly missing: number;
  /** The maximum number of postings to read. The longest lists are skipped. */
  readonly postingsMax: number;
  readonly textsMax: number;
}

/** Grams below this are single UTF-16 units; grams above are pairs of units. */
const UNITS = 0x1_00_00;
/** The first unit of a text is paired with this unit, which no folded text contains. */
const START = 0xff_ff;
/** A single unit lists only this many texts, the shortest; all would take 40 % of the index. */
const SINGLES_MAX = 4_096;
const PAIR_LISTS_MAX = 2 ** 20;
/** The maximum number of lists to intersect. The shortest lists exclude nearly all texts. */
const LISTS_MAX = 5;

/** Returns the grams that every text with this key contains: its pairs, or its only unit. */
export function gramsOf(key: string): number[] {
  if (key.length === 1) return [key.charCodeAt(0)];
  const pairs = Array.from({ length: Math.max(0, key.length - 1) }, (_, at) =>
    pairOf(key.charCodeAt(at), key.charCodeAt(at + 1)),
  );
  return [...new Set(pairs)];
}

export function gramsOfStart(key: string): number[] {
  return [pairOf(START, key.charCodeAt(0)), ...(key.length > 1 ? gramsOf(key) : [])];
}

function pairOf(first: number, second: number): number {
  return first * UNITS + second;
}

/** All searches share these arrays: allocating new ones causes GC pauses of up to 160 ms. */
const scratch = { shared: new Uint16Array(), texts: new Uint32Array() };

/** Lists the texts of each gram. Pairs with the same hash share a list, so compare the texts. */
export class GramIndex {
  readonly #size: number;
  readonly #kinds: Uint8Array;
  readonly #mask: number;
  readonly #offsets: Uint32Array;
  readonly #postings: Uint32Array;

  /** `kinds` contains the kinds of each text, as bits. */
  constructor(texts: readonly string[], kinds: Uint8Array) {
    this.#size = texts.length;
    this.#kinds = kinds;
    const lists = Math.min(PAIR_LISTS_MAX, 2 ** Math.ceil(Math.log2(texts.length * 2 + 2)));
    this.#mask = lists - 1;
    const next = new Uint32Array(UNITS + lists + 1);
    this.#visitPostings(texts, (list) => {
      const count = next[list] ?? 0;
      if (list >= UNITS || count < SINGLES_MAX) next[list] = count + 1;
    });
    let end = 0;
    for (const [list, count] of next.entries()) {
      next[list] = end;
      end += count;
    }
    this.#offsets = next.slice();
    this.#postings = new Uint32Array(end);
    this.#visitPostings(texts, (list, text) => {
      const at = next[list] ?? 0;
      if (at === this.#offsets[list + 1]) return;
      this.#postings[at] = text;
      next[list] = at + 1;
    });
  }

  /** Returns an upper bound of the number of texts with all grams, from the shortest list. */
  countAtMost(grams: readonly number[]): number {
    const counts = grams.map((gram) => {
      const { length } = this.#textsWith(gram);
      return gram < UNITS && length === SINGLES_MAX ? this.#size : length;
    });
    return Math.min(...counts);
  }

  /** Visits the texts that may have all grams, shortest first, until `visit` returns false. */
  scan(
    grams: readonly number[],
    kinds: number,
    budget: Budget,
    visit: (text: number) => boolean,
  ): void {
    const lists = grams.map((gram) => this.#textsWith(gram));
    const [rarest, ...others] = lists.toSorted((a, b) => a.length - b.length).slice(0, LISTS_MAX);
    const places = new Uint32Array(others.length);
    for (const text of rarest ?? []) {
      if (--budget.left < 0) return;
      if (((this.#kinds[text] ?? 0) & kinds) === 0) continue;
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

  /** Returns the texts of a range that lack the fewest grams. */
  mostSharing(
    grams: readonly number[],
    { from, to, missing, postingsMax, textsMax }: SharingRange,
    budget: Budget,
  ): Uint32Array {
    const lists = grams
      .map((gram) => this.#textsWith(gram))
      .map((list) => list.subarray(seek(list, 0, from), seek(list, 0, to)))
      .toSorted((a, b) => a.length - b.length);
    let left = Math.min(postingsMax, budget.left);
    const counted = lists.filter(({ length }) => (left -= length) >= 0);
    const sharedMin = Math.max(1, counted.length - missing);
    if (scratch.shared.length < this.#size) {
      scratch.shared = new Uint16Array(this.#size);
      scratch.texts = new Uint32Array(this.#size);
    }
    const { texts } = scratch;
    const shared = scratch.shared.fill(0, from, to);
    const sizes = new Uint32Array(counted.length + 2);
    let size = 0;
    for (const list of counted) {
      budget.left -= list.length;
      for (let at = 0; at < list.length; at++) {
        const text = list[at] ?? 0;
        const count = (shared[text] ?? 0) + 1;
        shared[text] = count;
        if (count === sharedMin) texts[size++] = text;
      }
    }
    for (let at = 0; at < size; at++) {
      const count = shared[texts[at] ?? 0] ?? 0;
      sizes[count] = (sizes[count] ?? 0) + 1;
    }
    let lowest = counted.length;
    let room = textsMax;
    while (lowest > 0 && room >= (sizes[lowest] ?? 0)) room -= sizes[lowest--] ?? 0;
    const best = texts.subarray(0, size).filter((text) => {
      const count = shared[text] ?? 0;
      return count > lowest || (count === lowest && room-- > 0);
    });
    return best.toSorted();
  }

  #visitPostings(texts: readonly string[], visit: (list: number, text: number) => void): void {
    const lastText = new Uint32Array(UNITS + this.#mask + 1);
    const visitOnce = (gram: number, text: number): void => {
      const list = this.#listOf(gram);
      if (lastText[list] !== text + 1) visit(list, text);
      lastText[list] = text + 1;
    };
    for (const [number, text] of texts.entries()) {
      let before = START;
      for (let at = 0; at < text.length; at++) {
        const unit = text.charCodeAt(at);
        visitOnce(unit, number);
        visitOnce(pairOf(before, unit), number);
        before = unit;
      }
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
}

/** Returns the first index from `from` at which an ascending list is at least `least`. */
function seek(list: Uint32Array, from: number, least: number): number {
  let [low, high] = [from, from];
  // The number is usually near, so double the steps before the bisection.
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
