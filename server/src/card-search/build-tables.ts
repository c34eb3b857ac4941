import { CardIds } from './card-ids.ts';
import { cardNumberOf, type CardNumber, runsOf } from './card-number.ts';
import type { CardTables } from './card-tables.ts';
import { fold } from '../catalog/fold.ts';
import { SpellingCollector } from './spelling-collector.ts';
import { type SpellingTable, type OrderedSpellings, orderSpellings } from './spelling-table.ts';
import {
  SPELLING_KIND,
  SPELLING_KIND_BITS,
  spellingsOfName,
  type NameSpellings,
} from './spelling.ts';
import { buildGrams } from './gram-table.ts';
import { type GroupedValues, groupMembers } from './grouped.ts';
import { buildLabels, compareLabels, identityOf, type Label } from './label-table.ts';
import { buildNumbers, compareNumbers } from './number-table.ts';
import type { SearchableCard } from './searchable-card.ts';
import { Uint32List } from './uint32-list.ts';

/**
 * Limits the cache of folded names during a build to about 10 MB. Reprints and finishes of one card
 * share their names and follow each other closely.
 */
const FOLDED_NAMES_MAX = 20_000;

export class TablesBuilder {
  readonly #ids = CardIds.collect();
  readonly #spellings = new SpellingCollector();
  readonly #folded = new Map<string, readonly (readonly [spelling: number, kind: number])[]>();
  readonly #spellingOffsets = new Uint32List();
  readonly #spellingEntries = new Uint32List();
  readonly #numbers = new UniqueList<CardNumber>(
    (number) => `${number.runs}\u0000${number.joined}`,
  );
  readonly #totals = new UniqueList<string>((total) => total);
  readonly #sets = new UniqueList<Label>(identityOf);
  readonly #rarities = new UniqueList<Label>(identityOf);

  constructor() {
    this.#spellingOffsets.push(0);
  }

  add(card: SearchableCard): void {
    this.#ids.push(card.id);
    this.#addSpellings(card);
    this.#numbers.push(cardNumberOf(card.cardNumber ?? ''));
    this.#totals.push(runsOf(fold(card.setTotalRaw ?? '')));
    const setNames = [card.setName ?? '', card.setNameEn ?? ''];
    this.#sets.push({
      code: card.setCode,
      names: setNames[0] === setNames[1] ? setNames.slice(1) : setNames,
    });
    this.#rarities.push({ code: card.rarityCode, names: [card.rarityName ?? '', ...card.traits] });
  }

  /** Call this once: the builder cannot be used afterwards. */
  build(): CardTables {
    const numbers = this.#numbers.sorted(compareNumbers);
    const sets = this.#sets.sorted(compareLabels);
    const rarities = this.#rarities.sorted(compareLabels);
    const totals = this.#totals.sorted((a, b) => (a < b ? -1 : 1));
    const setTable = buildLabels(sets.values);
    const ids = this.#ids.ids();
    const order = orderOfCards(setTable.codes, sets.memberOf, numbers.memberOf, ids);
    const numberOfCard = inOrder(numbers.memberOf, order);
    const setOfCard = inOrder(sets.memberOf, order);
    const rarityOfCard = inOrder(rarities.memberOf, order);
    const ordered = orderSpellings(this.#spellings);
    const spellingsOfCard = this.#spellingsInOrder(order, ordered.newNumberOf);
    return {
      size: order.length,
      ids: ids.inOrder(order),
      spellings: spellingTableOf(ordered, spellingsOfCard),
      grams: buildGrams(ordered.texts),
      spellingsOfCard,
      numbers: buildNumbers(numbers.values, numberOfCard),
      numberOfCard,
      totals: totals.values,
      totalOfCard: inOrder(totals.memberOf, order),
      sets: setTable,
      setOfCard,
      cardsOfSet: groupMembers(setOfCard, sets.values.length),
      rarities: buildLabels(rarities.values),
      rarityOfCard,
      cardsOfRarity: groupMembers(rarityOfCard, rarities.values.length),
    };
  }

  #addSpellings(card: SearchableCard): void {
    const kinds = new Map<number, number>();
    const add = (name: string, tag: string | null): void => {
      for (const [spelling, kind] of this.#spellingsOf(name, tag)) {
        kinds.set(spelling, (kinds.get(spelling) ?? 0) | kind);
      }
    };
    add(card.name, null);
    for (const [tag, name] of Object.entries(card.localizedNames)) {
      if (name !== card.name) add(name, tag);
    }
    for (const [spelling, kind] of kinds) {
      this.#spellingEntries.push((spelling << SPELLING_KIND_BITS) | kind);
    }
    this.#spellingOffsets.push(this.#spellingEntries.length);
  }

  #spellingsOf(
    name: string,
    tag: string | null,
  ): readonly (readonly [spelling: number, kind: number])[] {
    const tagged = `${tag ?? 'own'}\u0000${name}`;
    const known = this.#folded.get(tagged);
    if (known !== undefined) return known;
    const spellings = this.#collect(
      spellingsOfName(name, tag),
      tag === null ? SPELLING_KIND.primary : SPELLING_KIND.localized,
    );
    if (this.#folded.size >= FOLDED_NAMES_MAX) this.#folded.clear();
    this.#folded.set(tagged, spellings);
    return spellings;
  }

  #collect(name: NameSpellings, kind: number): [spelling: number, kind: number][] {
    const { key, wordStarts, loose, phonetic } = name;
    if (key === '') return [];
    const spellings: [spelling: number, kind: number][] = [
      [this.#spellings.numberOf(key, wordStarts), kind],
    ];
    if (loose !== null) spellings.push([this.#spellings.numberOf(loose, 1), SPELLING_KIND.loose]);
    if (phonetic !== null && phonetic !== '') {
      spellings.push([this.#spellings.numberOf(phonetic, 1), SPELLING_KIND.phonetic]);
    }
    return spellings;
  }

  #spellingsInOrder(order: Uint32Array, newNumberOf: Uint32Array): GroupedValues {
    const offsets = new Uint32Array(order.length + 1);
    const values = new Uint32Array(this.#spellingEntries.length);
    let at = 0;
    for (const [card, from] of order.entries()) {
      const end = this.#spellingOffsets.at(from + 1);
      for (let entry = this.#spellingOffsets.at(from); entry < end; entry++) {
        const value = this.#spellingEntries.at(entry);
        const kinds = value & ((1 << SPELLING_KIND_BITS) - 1);
        values[at++] =
          ((newNumberOf[value >>> SPELLING_KIND_BITS] ?? 0) << SPELLING_KIND_BITS) | kinds;
      }
      offsets[card + 1] = at;
    }
    return { offsets, values };
  }
}

class UniqueList<T> {
  readonly #identityOf: (value: T) => string;
  readonly #indexes = new Map<string, number>();
  readonly #values: T[] = [];
  readonly #indexOfMember = new Uint32List();

  constructor(identity: (value: T) => string) {
    this.#identityOf = identity;
  }

  push(value: T): void {
    const identity = this.#identityOf(value);
    let index = this.#indexes.get(identity);
    if (index === undefined) {
      index = this.#values.length;
      this.#indexes.set(identity, index);
      this.#values.push(value);
    }
    this.#indexOfMember.push(index);
  }

  sorted(compare: (a: T, b: T) => number): { values: T[]; memberOf: Uint32Array } {
    const sorted = [...this.#values.entries()].toSorted(([, a], [, b]) => compare(a, b));
    const rankOf = new Uint32Array(sorted.length);
    for (const [rank, [index]] of sorted.entries()) rankOf[index] = rank;
    return {
      values: sorted.map(([, value]) => value),
      memberOf: this.#indexOfMember.view().map((index) => rankOf[index] ?? 0),
    };
  }
}

function orderOfCards(
  codes: readonly string[],
  setOf: Uint32Array,
  numberOf: Uint32Array,
  ids: CardIds,
): Uint32Array {
  // Labels with the same code get one rank, because `compareHits` compares only the code.
  const codeRank = new Uint32Array(codes.length);
  for (let set = 1; set < codes.length; set++) {
    codeRank[set] = (codeRank[set - 1] ?? 0) + (codes[set] === codes[set - 1] ? 0 : 1);
  }
  const order = Uint32Array.from(setOf.keys());
  return order.toSorted(
    (a, b) =>
      (codeRank[setOf[a] ?? 0] ?? 0) - (codeRank[setOf[b] ?? 0] ?? 0) ||
      (numberOf[a] ?? 0) - (numberOf[b] ?? 0) ||
      ids.compare(a, b),
  );
}

function inOrder(values: Uint32Array, order: Uint32Array): Uint32Array {
  return order.map((member) => values[member] ?? 0);
}

function spellingTableOf(
  ordered: OrderedSpellings,
  { offsets, values }: GroupedValues,
): SpellingTable {
  const size = ordered.texts.length;
  const kinds = new Uint8Array(size);
  const starts = new Uint32Array(size + 1);
  for (const value of values) {
    const spelling = value >>> SPELLING_KIND_BITS;
    kinds[spelling] = (kinds[spelling] ?? 0) | (value & ((1 << SPELLING_KIND_BITS) - 1));
    starts[spelling + 1] = (starts[spelling + 1] ?? 0) + 1;
  }
  for (let spelling = 0; spelling < size; spelling++) {
    starts[spelling + 1] = (starts[spelling + 1] ?? 0) + (starts[spelling] ?? 0);
  }
  const next = starts.slice();
  const cards = new Uint32Array(values.length);
  for (let card = 0; card + 1 < offsets.length; card++) {
    for (let at = offsets[card] ?? 0; at < (offsets[card + 1] ?? 0); at++) {
      const value = values[at] ?? 0;
      const spelling = value >>> SPELLING_KIND_BITS;
      const index = next[spelling] ?? 0;
      cards[index] = (card << SPELLING_KIND_BITS) | (value & ((1 << SPELLING_KIND_BITS) - 1));
      next[spelling] = index + 1;
    }
  }
  const { texts, wordStarts, alphabetical } = ordered;
  return { texts, wordStarts, alphabetical, kinds, cards: { offsets: starts, values: cards } };
}
