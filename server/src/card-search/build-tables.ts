import { codeOf, type PrintedNumber, printedNumberOf } from './card-number.ts';
import { CardIds, type CardTables, LABEL, NAME, NUMBER } from './card-tables.ts';
import { groupBy } from './groups.ts';
import { isLatin, looseKeyOf, nameKeyOf, scriptPartsOf, wordsOf } from './name-key.ts';
import { soundOfKana, soundOfLatin } from './romaji.ts';
import { type SearchableCard, traitsOf } from './searchable-card.ts';
import { compareTexts, ranksOf, TextCollector } from './text-table.ts';

const LATIN_SCRIPT = /-latn\b/i;

/** Collects cards and builds their tables. Call `build` once. */
export class TablesBuilder {
  readonly #ids: string[] = [];
  readonly #names = new TextCollector();
  readonly #numbers = new TextCollector();
  readonly #printed = new UniqueValues<PrintedNumber>();
  readonly #labels = new TextCollector();
  /** The code of each label that is a set; null for a look. */
  readonly #codes = new UniqueValues<string | null>();
  readonly #sets: number[] = [];
  readonly #looks: number[] = [];
  readonly #numberOfCard: number[] = [];

  add(card: SearchableCard): void {
    const number = this.#ids.push(card.id) - 1;
    const kinds = new Map(this.#textsOf(card.name, null));
    for (const [tag, name] of Object.entries(card.localizedNames)) {
      for (const [text, kind] of name === card.name ? [] : this.#textsOf(name, tag)) {
        kinds.set(text, (kinds.get(text) ?? 0) | kind);
      }
    }
    for (const [text, all] of kinds) this.#names.own(number, text, all);
    this.#addNumber(number, card.cardNumber ?? '', card.setTotalRaw ?? '');
    const { setCode, setName, setNameEn, rarityCode, gameCode, languageCode } = card;
    this.#sets.push(
      this.#codes.add(['set', setCode, setName, setNameEn], (label) => {
        this.#addLabel(label, setCode, [setName ?? '', setNameEn ?? '']);
        return codeOf(setCode ?? '');
      }),
    );
    const look = [card.rarityName, card.variant, card.finish];
    this.#looks.push(
      this.#codes.add(['look', rarityCode, gameCode, languageCode, ...look], (label) => {
        const texts = look.map((text) => text ?? '');
        this.#addLabel(label, rarityCode, traitsOf(gameCode, languageCode, ...texts));
        return null;
      }),
    );
  }

  build(): CardTables {
    const codes = this.#codes.values;
    const printed = this.#printed.values;
    const sortedCodes = [...new Set(codes.map((code) => code ?? ''))].toSorted();
    const rankOfCode = new Map(sortedCodes.map((code, rank) => [code, rank]));
    const rankOfSet = codes.map((code) => rankOfCode.get(code ?? '') ?? 0);
    const numbers = printed.map((number, at) => ({ number, at }));
    numbers.sort((a, b) => compareNumbers(a.number, b.number));
    const rankOfNumber = ranksOf(numbers.map(({ at }) => at));
    const [sets, looks, numberOf, ids] = [this.#sets, this.#looks, this.#numberOfCard, this.#ids];
    const order = Uint32Array.from(ids.keys()).toSorted(
      (a, b) =>
        (rankOfSet[sets[a] ?? 0] ?? 0) - (rankOfSet[sets[b] ?? 0] ?? 0) ||
        (rankOfNumber[numberOf[a] ?? 0] ?? 0) - (rankOfNumber[numberOf[b] ?? 0] ?? 0) ||
        compareText(ids[a] ?? '', ids[b] ?? ''),
    );
    const rankOfCard = ranksOf(order);
    const labelsOfCards = new Uint32Array(
      [...order].flatMap((from) => [sets[from] ?? 0, looks[from] ?? 0]),
    );
    const names = this.#names.build(rankOfCard);
    return {
      ids: new CardIds(Array.from(order, (from) => ids[from] ?? '')),
      names: names.table,
      namesOfCard: names.textsOfOwner,
      numbers: this.#numbers.build(rankOfCard).table,
      printedNumbers: printed,
      numberOfCard: order.map((from) => numberOf[from] ?? 0),
      labels: this.#labels.build(Uint32Array.from(codes.keys())).table,
      setCodes: codes,
      setOfCard: order.map((from) => sets[from] ?? 0),
      lookOfCard: order.map((from) => looks[from] ?? 0),
      cardsOfLabel: groupBy(
        labelsOfCards,
        labelsOfCards.map((_, at) => at >>> 1),
        codes.length,
      ),
    };
  }

  /** Returns the texts of a name. `tag` is its language, or null for the card's `name`. */
  #textsOf(name: string, tag: string | null): [text: number, kind: number][] {
    const { key, wordStarts } = nameKeyOf(name);
    const loose = looseKeyOf(key);
    const sound = tag !== null && LATIN_SCRIPT.test(tag) ? soundOfLatin(key) : soundOfKana(key);
    const texts: [text: number, kind: number][] = [];
    const kind = tag === null ? NAME.primary : NAME.localized;
    if (key !== '') texts.push([this.#names.add(key, wordStarts), kind]);
    if (loose !== key && loose !== '') texts.push([this.#names.add(loose), NAME.loose]);
    if (sound !== '') texts.push([this.#names.add(sound), NAME.sound]);
    return texts;
  }

  #addNumber(card: number, cardNumber: string, total: string): void {
    const place = this.#printed.add([cardNumber, total], () => printedNumberOf(cardNumber, total));
    this.#numberOfCard.push(place);
    const { joined = '', runs = '', regionless = '' } = this.#printed.values[place] ?? {};
    if (joined === '') return;
    this.#numbers.own(card, this.#numbers.add(joined), NUMBER.joined);
    this.#numbers.own(card, this.#numbers.add(runs), NUMBER.runs);
    if (regionless !== runs) this.#numbers.own(card, this.#numbers.add(regionless), NUMBER.runs);
  }

  #addLabel(label: number, code: string | null, names: readonly string[]): void {
    const own = (texts: readonly string[], kind: number): void => {
      for (const text of new Set(texts)) {
        if (text !== '') this.#labels.own(label, this.#labels.add(text), kind);
      }
    };
    own([codeOf(code ?? '')], LABEL.code);
    // Parts in another script are words too, such as 151 in ポケモンカード151.
    own([...names, ...names.flatMap(scriptPartsOf)].flatMap(wordsOf), LABEL.word);
    const keys = names.map((name) => nameKeyOf(name).key).filter((key) => !isLatin(key));
    own(keys, LABEL.key);
    own(keys.map(looseKeyOf), LABEL.looseKey);
  }
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Compares in natural order. Of two equal numbers, the one with fewer zeros comes first. */
function compareNumbers(a: PrintedNumber, b: PrintedNumber): number {
  return compareText(a.runs, b.runs) || compareTexts(a.joined, b.joined);
}

class UniqueValues<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<string, number>();

  add(texts: readonly (string | null)[], make: (number: number) => T): number {
    const identity = texts.join('\u0000');
    const known = this.#numbers.get(identity);
    if (known !== undefined) return known;
    this.#numbers.set(identity, this.values.length);
    return this.values.push(make(this.values.length)) - 1;
  }
}
