import { codeOf, type QueryNumber, runsOf } from './card-number.ts';
import { LABEL, NUMBER, numberOfCard } from './card-tables.ts';
import { addCardsMatchingTerms } from './find-terms.ts';
import { groupAt } from './groups.ts';
import type { Search } from './search.ts';
import { fitsOfLabels, matchNumber, visitNumber, visitNumberEnds } from './match-fields.ts';
import { wordsIn } from './name-key.ts';
import type { Query, Term } from './query.ts';
import { FIT, LATIN_WORD, matchPositionOf, SCORE, scoreOfName } from './score.ts';
import { kindOf, nameSpelling, NAMES, otherSpellings, type Spelling } from './spelling.ts';

/** The minimum length of a number's start: one character would match a tenth of all numbers. */
const NUMBER_START_MIN = 2;
const SET_CODE_MAX = 12;
const ABBREVIATION_MIN = 3;
const ABBREVIATION_MAX = 20;
/** Names are scanned by length. After this many, a scan ends as soon as the page is full. */
const TEXTS_ENOUGH = 3_000;
const TEXTS_MAX = 10_000;

/** Adds the cards that match a query, the best matches first, until the page is full. */
export function addMatches(search: Search, { whole, readings }: Query): void {
  const { tables, budget } = search;
  const { number } = whole;
  const others = otherSpellings(whole);
  const addNumber = (card: number): boolean => number === null || addByNumber(search, card, number);
  if (number !== null) {
    visitNumber(tables, number, addNumber);
    addBySetAndNumber(search, number);
  }
  const names = nameSpelling(whole);
  for (const spelling of [names, ...others]) {
    tables.names.visitExact(spelling.key, spelling.kinds, (card, entry) =>
      search.add(card, SCORE[kindOf(spelling, entry)].exact, spelling.key),
    );
  }
  addByName(search, names);
  readings.some((terms) => addCardsMatchingTerms(search, terms, 'none'));
  if (number?.total === null && number.joined.length >= NUMBER_START_MIN) {
    tables.numbers.visitStarting(number.joined, NUMBER.joined, budget, (_, text) =>
      tables.numbers.visitOwners(text, NUMBER.joined, addNumber),
    );
  }
  if (readings.length === 0) addByAbbreviation(search, whole.key);
  for (const spelling of others) addByName(search, spelling);
  readings.some((terms) => addCardsMatchingTerms(search, terms, 'spelling'));
  if (search.wants(SCORE.setCode)) addBySet(search, whole);
  if (number !== null) visitNumberEnds(search, number, addNumber);
}

function addByNumber(search: Search, card: number, number: QueryNumber): boolean {
  const match = matchNumber(search.tables, card, number);
  if (match === null) return true;
  // OP09-09 is probably the start of OP09-090, whereas 025 means 25.
  const isUnfinished = match === 'number' && number.mayBeIncomplete;
  const score = SCORE[isUnfinished ? 'numberUnfinished' : match];
  return search.add(card, score, numberOfCard(search.tables, card).joined);
}

/** Finds `SV2a025` and `sv2a-025/165` by trying every position where the set code may end. */
function addBySetAndNumber(search: Search, { joined, total }: QueryNumber): void {
  const { tables } = search;
  for (let at = 1; at < Math.min(joined.length, SET_CODE_MAX); at++) {
    const runs = runsOf(joined.slice(at));
    if (!/\d/.test(runs)) return;
    const sets = new Set<number>();
    tables.labels.visitExact(codeOf(joined.slice(0, at)), LABEL.code, (label) => sets.add(label));
    if (sets.size === 0) continue;
    tables.numbers.visitExact(runs, NUMBER.runs, (card) => {
      const number = numberOfCard(tables, card);
      if (total !== null && total !== number.total) return;
      const isOfSet = sets.has(tables.setOfCard[card] ?? 0);
      if (isOfSet) search.add(card, SCORE.setAndNumber, number.joined);
    });
  }
}

/** Adds the names that begin with the key, then those that contain it. */
function addByName(search: Search, spelling: Spelling): void {
  const { budget } = search;
  const { names } = search.tables;
  const { key, kinds, own, other } = spelling;
  let read = 0;
  const addOwners =
    (best: number, worst: number) => (name: string, text: number, starts: number) => {
      const position = matchPositionOf(key, name, starts) ?? 'inside';
      names.visitOwners(
        text,
        kinds,
        (card, entry) =>
          void search.add(card, scoreOfName(kindOf(spelling, entry), key, name, position), name),
      );
      if (++read >= TEXTS_MAX || !search.wants(best)) return false;
      return read < TEXTS_ENOUGH || search.wants(worst);
    };
  const { prefix } = SCORE[own];
  if (search.wants(prefix)) {
    names.visitStarting(key, kinds, budget, addOwners(prefix, SCORE[other].prefix));
  }
  const best = LATIN_WORD.test(key) ? SCORE[own].word : SCORE[own].start;
  // Omit single letters: nearly every sound contains them.
  if (!search.wants(best) || (own === 'sound' && key.length < 2)) return;
  read = 0;
  names.visitContaining([key], kinds, budget, addOwners(best, SCORE[other].inside));
}

/** Finds names by the beginnings of their words: ブラマジガール for ブラック・マジシャン・ガール. */
function addByAbbreviation(search: Search, key: string): void {
  const { budget } = search;
  const { names } = search.tables;
  if (key.length < ABBREVIATION_MIN || key.length > ABBREVIATION_MAX) return;
  if (!search.wants(SCORE.abbreviation)) return;
  names.visitStarting(key.slice(0, leastOf(key)), NAMES, budget, (name, text, wordStarts) => {
    budget.left -= name.length;
    const mayBe = (wordStarts & (wordStarts - 1)) !== 0 && name.includes(key.slice(-1));
    if (!mayBe || !isAbbreviation(key, wordsIn(name, wordStarts))) return true;
    return names.visitOwners(text, NAMES, (card) => search.add(card, SCORE.abbreviation, name));
  });
}

export function isAbbreviation(key: string, words: readonly string[], count = 0): boolean {
  if (key === '') return count > 1;
  const [word, ...others] = words;
  if (word === undefined) return false;
  for (let length = Math.min(leastOf(word), word.length); length <= word.length; length++) {
    if (!key.startsWith(word.slice(0, length))) return false;
    if (isAbbreviation(key.slice(length), others, count + 1)) return true;
  }
  return false;
}

/** A single kanji can stand for a word; a single kana or letter cannot. */
function leastOf(word: string): number {
  return /^\p{Script=Han}/u.test(word) ? 1 : 2;
}

function addBySet(search: Search, term: Term): void {
  const { cardsOfLabel, setCodes } = search.tables;
  const cards = [...fitsOfLabels(search, term)]
    // Keep only the sets: a look, such as a rarity, does not identify a card.
    .filter(([label]) => setCodes[label] !== null)
    .flatMap(([label, fit]) => {
      const score = fit === FIT.code ? SCORE.setCode : SCORE.setName;
      const first = groupAt(cardsOfLabel, label).subarray(0, search.limit);
      return Array.from(first, (card) => ({ card, score }));
    });
  for (const { card, score } of cards.toSorted((a, b) => a.card - b.card)) {
    search.add(card, score, '');
  }
}
