import { codeOf, type PrintedNumber, printedNumberOf } from './card-number.ts';
import { CardIds, type CardTables, LABEL, NAME, NUMBER } from './card-tables.ts';
import { groupBy } from './groups.ts';
import { isLatin, looseKeyOf, nameKeyOf, scriptPartsOf, wordsOf } from './name-key.ts';
import { soundOfKana, soundOfLatin } from './romaji.ts';
import { type SearchableCard, traitsOf } from './searchable-card.ts';
import { compareTexts, entryOf, numberOf, TextCollector, type TextTable } from './text-table.ts';

/** Limits the cache of folded names during a build to about 20 MB. Reprints share their names. */
const FOLDED_NAMES_MAX = 50_000;
const LATIN_SCRIPT = /-latn\b/i;
const ALL_KINDS = NAME.primary | NAME.localized | NAME.loose | NAME.sound;

interface Label {
  readonly code: string;
  readonly names: readonly string[];
}

/** Collects cards and builds their tables. Call `build` once. */
export class TablesBuilder {
  readonly #ids: string[] = [];
  readonly #names = new TextCollector();
  /** The entries of text and kind of a name, by tag and name. */
  readonly #folded = new Map<string, readonly number[]>();
  /** The entries of all names, card by card, and where those of each card end. */
  readonly #entries: number[] = [];
  readonly #entryEnds: number[] = [];
  readonly #numbers = new UniqueValues<PrintedNumber>();
  readonly #sets = new UniqueValues<Label>();
  readonly #looks = new UniqueValues<Label>();

  add(card: SearchableCard): void {
    this.#ids.push(card.id);
    const kinds = new Map<number, number>();
    for (const [tag, name] of [
      [null, card.name] as const,
      ...Object.entries(card.localizedNames),
    ]) {
      if (tag !== null && name === card.name) continue;
      for (const entry of this.#entriesOf(name, tag)) {
        kinds.set(numberOf(entry), (kinds.get(numberOf(entry)) ?? 0) | entry);
      }
    }
    for (const [text, all] of kinds) this.#entries.push(entryOf(text, all & ALL_KINDS));
    this.#entryEnds.push(this.#entries.length);
    const [number, total] = [card.cardNumber ?? '', card.setTotalRaw ?? ''];
    this.#numbers.add([number, total], () => printedNumberOf(number, total));
    this.#sets.add([card.setCode, card.setName, card.setNameEn], labelOf);
    const { rarityCode, rarityName, gameCode, languageCode, variant, finish } = card;
    const look = [rarityCode, rarityName, gameCode, languageCode, variant, finish];
    this.#looks.add(look, ([code = '', name = '', game = '', language = '', ...looks]) => ({
      code,
      names: [name, ...traitsOf(game, language, ...looks)],
    }));
  }

  build(): CardTables {
    const numbers = this.#numbers.sorted(compareNumbers);
    const sets = this.#sets.sorted((a, b) => compareText(a.code, b.code));
    const looks = this.#looks.sorted(() => 0);
    // Sets with the same code share a rank, because they are editions of one set.
    let rank = 0;
    const ranks = sets.values.map(({ code }, set) =>
      code === sets.values[set - 1]?.code ? rank : ++rank,
    );
    const order = Uint32Array.from(this.#ids.keys()).toSorted(
      (a, b) =>
        (ranks[sets.valueOf[a] ?? 0] ?? 0) - (ranks[sets.valueOf[b] ?? 0] ?? 0) ||
        (numbers.valueOf[a] ?? 0) - (numbers.valueOf[b] ?? 0) ||
        compareText(this.#ids[a] ?? '', this.#ids[b] ?? ''),
    );
    const setOfCard = order.map((from) => sets.valueOf[from] ?? 0);
    const lookOfCard = order.map((from) => sets.values.length + (looks.valueOf[from] ?? 0));
    const numberOfCard = order.map((from) => numbers.valueOf[from] ?? 0);
    const labels = [...sets.values, ...looks.values];
    const labelsOfCards = new Uint32Array([...setOfCard, ...lookOfCard]);
    return {
      ids: new CardIds(Array.from(order, (from) => this.#ids[from] ?? '')),
      ...this.#buildNames(order),
      numbers: buildNumbers(numbers.values, numberOfCard),
      numberValues: numbers.values,
      numberOfCard,
      labels: buildLabels(labels),
      setCodes: sets.values.map(({ code }) => codeOf(code)),
      setOfCard,
      lookOfCard,
      cardsOfLabel: groupBy(
        labelsOfCards,
        labelsOfCards.map((_, at) => at % order.length),
        labels.length,
      ),
    };
  }

  #buildNames(order: Uint32Array): Pick<CardTables, 'names' | 'namesOfCard'> {
    const offsets = new Uint32Array(order.length + 1);
    const kinds: number[] = [];
    for (const [card, from] of order.entries()) {
      const end = this.#entryEnds[from] ?? 0;
      for (let at = this.#entryEnds[from - 1] ?? 0; at < end; at++) {
        const entry = this.#entries[at] ?? 0;
        kinds.push(entry & ALL_KINDS);
        this.#names.own(numberOf(entry), card, entry & ALL_KINDS);
      }
      offsets[card + 1] = kinds.length;
    }
    const { table, ownedTexts } = this.#names.build();
    const values = ownedTexts.map((text, at) => entryOf(text, kinds[at] ?? 0));
    return { names: table, namesOfCard: { offsets, values } };
  }

  /** Returns the entries of a name. `tag` is its language, or null for the card's `name`. */
  #entriesOf(name: string, tag: string | null): readonly number[] {
    const tagged = `${tag ?? ''}\u0000${name}`;
    const known = this.#folded.get(tagged);
    if (known !== undefined) return known;
    const { key, wordStarts } = nameKeyOf(name);
    const loose = looseKeyOf(key);
    const sound = tag !== null && LATIN_SCRIPT.test(tag) ? soundOfLatin(key) : soundOfKana(key);
    const entries: number[] = [];
    const add = (text: string, kind: number, starts?: number): void => {
      if (text !== '') entries.push(entryOf(this.#names.add(text, starts), kind));
    };
    add(key, tag === null ? NAME.primary : NAME.localized, wordStarts);
    if (loose !== key) add(loose, NAME.loose);
    add(sound, NAME.sound);
    if (this.#folded.size >= FOLDED_NAMES_MAX) this.#folded.clear();
    this.#folded.set(tagged, entries);
    return entries;
  }
}

function labelOf([code = '', ...names]: readonly string[]): Label {
  return { code, names };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Compares in natural order. Of equal numbers, that with fewer leading zeros comes first. */
function compareNumbers(a: PrintedNumber, b: PrintedNumber): number {
  return (
    compareText(a.runs, b.runs) || compareTexts(a.joined, b.joined) || compareText(a.total, b.total)
  );
}

function buildNumbers(values: readonly PrintedNumber[], numberOfCard: Uint32Array): TextTable {
  const collector = new TextCollector();
  const textsOf = values.map(({ joined, runs, regionless }) => ({
    joined: collector.add(joined),
    runs: collector.add(runs),
    regionless: collector.add(regionless),
  }));
  for (const [card, number] of numberOfCard.entries()) {
    const texts = textsOf[number];
    if (texts === undefined || values[number]?.joined === '') continue;
    collector.own(texts.joined, card, NUMBER.joined);
    collector.own(texts.runs, card, NUMBER.runs);
    if (texts.regionless !== texts.runs) collector.own(texts.regionless, card, NUMBER.regionless);
  }
  return collector.build().table;
}

function buildLabels(labels: readonly Label[]): TextTable {
  const collector = new TextCollector();
  for (const [label, { code, names }] of labels.entries()) {
    const own = (texts: readonly string[], kind: number): void => {
      for (const text of new Set(texts)) {
        if (text !== '') collector.own(collector.add(text), label, kind);
      }
    };
    own([codeOf(code)], LABEL.code);
    // The Latin parts count as words: 151 is a part of ポケモンカード151.
    own([...names, ...names.flatMap(scriptPartsOf)].flatMap(wordsOf), LABEL.word);
    const keys = names.map((name) => nameKeyOf(name).key).filter((key) => !isLatin(key));
    own(keys, LABEL.key);
    own(keys.map(looseKeyOf), LABEL.looseKey);
  }
  return collector.build().table;
}

/** Unique values, and the value of each member. */
class UniqueValues<T> {
  readonly #places = new Map<string, number>();
  readonly #values: T[] = [];
  readonly #members: number[] = [];

  add(texts: readonly (string | null)[], make: (texts: readonly string[]) => T): void {
    const identity = texts.join('\u0000');
    let place = this.#places.get(identity);
    if (place === undefined) {
      place = this.#values.push(make(texts.map((text) => text ?? ''))) - 1;
      this.#places.set(identity, place);
    }
    this.#members.push(place);
  }

  sorted(compare: (a: T, b: T) => number): { values: T[]; valueOf: Uint32Array } {
    const sorted = [...this.#values.entries()].toSorted(([, a], [, b]) => compare(a, b));
    const rankOf = new Uint32Array(sorted.length);
    for (const [rank, [place]] of sorted.entries()) rankOf[place] = rank;
    return {
      values: sorted.map(([, value]) => value),
      valueOf: new Uint32Array(this.#members).map((place) => rankOf[place] ?? 0),
    };
  }
}
