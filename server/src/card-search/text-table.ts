import { type Budget, GramIndex, gramsOf, gramsOfStart } from './gram-index.ts';
import { groupAt, groupBy, type Groups, partitionPoint } from './groups.ts';

const KIND_BITS = 4;
const KINDS = (1 << KIND_BITS) - 1;

/** Combines the number of an owner or text and its kinds (bits) into one number. */
export function entryOf(number: number, kinds: number): number {
  return ((number << KIND_BITS) | kinds) >>> 0;
}

export function numberOf(entry: number): number {
  return entry >>> KIND_BITS;
}

/** Compares texts by length, then by UTF-16 units, which is the same order in every locale. */
export function compareTexts(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** A text of a table. Bit n of `wordStarts` is set when a word starts at unit n. */
type VisitText = (text: string, number: number, wordStarts: number) => boolean;
type VisitOwner = (owner: number, entry: number) => unknown;

/** Unique texts with their owners, sorted by length, then alphabetically: the best come first. */
export class TextTable {
  readonly grams: GramIndex;
  readonly texts: readonly string[];
  readonly wordStarts: Uint32Array;
  readonly #owners: Groups;

  constructor(texts: readonly string[], wordStarts: Uint32Array, owners: Groups) {
    this.texts = texts;
    this.wordStarts = wordStarts;
    this.#owners = owners;
    const kinds = new Uint8Array(texts.length);
    for (const text of texts.keys()) {
      kinds[text] = groupAt(owners, text).reduce((all, entry) => all | entry, 0);
    }
    this.grams = new GramIndex(texts, kinds);
  }

  firstLongerThan(length: number): number {
    return partitionPoint(this.texts.length, (at) => (this.texts[at] ?? '').length <= length);
  }

  /** Visits the owners of exactly this text with one of these kinds. */
  visitExact(text: string, kinds: number, visit: VisitOwner): void {
    const { texts } = this;
    if (text === '') return;
    let at = partitionPoint(texts.length, (each) => compareTexts(texts[each] ?? '', text) < 0);
    for (; texts[at] === text; at++) this.visitOwners(at, kinds, visit);
  }

  /** Visits the owners until `visit` returns false. Returns false in that case. */
  visitOwners(text: number, kinds: number, visit: VisitOwner): boolean {
    return groupAt(this.#owners, text).every(
      (entry) => (entry & kinds) === 0 || visit(numberOf(entry), entry) !== false,
    );
  }

  /** Visits the texts that contain all keys, shortest first, until `visit` returns false. */
  visitContaining(keys: readonly string[], kinds: number, budget: Budget, visit: VisitText): void {
    const grams = new Set(keys.flatMap(gramsOf));
    const [first = '', ...others] = keys;
    this.#scan([...grams], kinds, budget, (text, number, starts) => {
      const isWanted = text.includes(first) && others.every((key) => text.includes(key));
      return !isWanted || visit(text, number, starts);
    });
  }

  /** Visits the texts that begin with a key, shortest first, until `visit` returns false. */
  visitStarting(key: string, kinds: number, budget: Budget, visit: VisitText): void {
    const visitWanted: VisitText = (text, ...more) => !text.startsWith(key) || visit(text, ...more);
    this.#scan(gramsOfStart(key), kinds, budget, visitWanted);
  }

  #scan(grams: readonly number[], kinds: number, budget: Budget, visit: VisitText): void {
    this.grams.scan(grams, kinds, budget, (text) =>
      visit(this.texts[text] ?? '', text, this.wordStarts[text] ?? 0),
    );
  }
}

export class TextCollector {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  readonly #wordStarts: number[] = [];
  /** The owner and the entry (text and kinds) of each call of `own`. */
  readonly #owners: number[] = [];
  readonly #entries: number[] = [];

  add(text: string, wordStarts = 1): number {
    // Most names are a single word; only names of several words need the longer identity.
    const identity = wordStarts === 1 ? text : `${text}\u0000${wordStarts.toString(36)}`;
    const known = this.#numbers.get(identity);
    if (known !== undefined) return known;
    this.#numbers.set(identity, this.#texts.length);
    this.#wordStarts.push(wordStarts);
    return this.#texts.push(text) - 1;
  }

  own(owner: number, text: number, kinds: number): void {
    this.#owners.push(owner);
    this.#entries.push(entryOf(text, kinds));
  }

  /** Builds the table. `rankOf` maps each owner to its new number. Call this once. */
  build(rankOf: Uint32Array): { readonly table: TextTable; readonly textsOfOwner: Groups } {
    const [texts, starts] = [this.#texts, this.#wordStarts];
    const order = Uint32Array.from(texts.keys()).toSorted(
      (a, b) => compareTexts(texts[a] ?? '', texts[b] ?? '') || (starts[a] ?? 0) - (starts[b] ?? 0),
    );
    const rankOfText = ranksOf(order);
    const textsOfOwner = groupBy(
      new Uint32Array(this.#owners).map((owner) => rankOf[owner] ?? 0),
      new Uint32Array(this.#entries).map((entry) =>
        entryOf(rankOfText[numberOf(entry)] ?? 0, entry & KINDS),
      ),
      rankOf.length,
    );
    const table = new TextTable(
      Array.from(order, (text) => texts[text] ?? ''),
      order.map((text) => starts[text] ?? 0),
      ownersOf(textsOfOwner, texts.length),
    );
    return { table, textsOfOwner };
  }
}

/** Returns the inverse of a permutation: the index at which `order` contains each number. */
export function ranksOf(order: ArrayLike<number>): Uint32Array {
  const ranks = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank] ?? 0] = rank;
  return ranks;
}

function ownersOf({ offsets, values }: Groups, texts: number): Groups {
  const owners = new Uint32Array(values.length);
  for (let owner = 0; owner + 1 < offsets.length; owner++) {
    owners.fill(owner, offsets[owner], offsets[owner + 1]);
  }
  const entries = owners.map((owner, at) => entryOf(owner, (values[at] ?? 0) & KINDS));
  return groupBy(values.map(numberOf), entries, texts);
}
