import { cardNumberOf, codeOf, type QueryNumber } from './card-number.ts';
import type { Search } from './hits.ts';
import { LABEL, NUMBER, numberOfCard } from './card-tables.ts';
import { findTerms } from './find-terms.ts';
import { gramsOf, gramsOfStart } from './gram-index.ts';
import { groupAt } from './groups.ts';
import { wordsIn } from './name-key.ts';
import type { Query, Term } from './query.ts';
import { FIT, isLatinWord, placeOf, SCORE, scoreOfName } from './score.ts';
import {
  fitsOfLabels,
  matchNumber,
  nameSpelling,
  NAMES,
  kindOf,
  otherSpellings,
  type Spelling,
  visitNumber,
  visitNumberEnds,
} from './term-match.ts';

/** A shorter start of a number is not searched: one character would match a tenth of all numbers. */
const NUMBER_START_MIN = 2;
const SET_CODE_MAX = 12;
/** An abbreviation has two words or more, mostly of two characters each. Longer ones do not occur. */
const ABBREVIATION_MIN = 3;
const ABBREVIATION_MAX = 20;
/** After this many texts, only long names follow, so a scan ends once the page is full. */
const TEXTS_ENOUGH = 3_000;
const TEXTS_MAX = 10_000;

/** Finds the cards that match a query, best first, each step only while the page has room. */
export function findMatching(search: Search, { whole, readings }: Query): void {
  const { found } = search;
  const { number } = whole;
  const others = otherSpellings(whole);
  if (number !== null) findNumber(search, number);
  for (const spelling of [nameSpelling(whole), ...others]) findExact(search, spelling);
  findNames(search, nameSpelling(whole));
  for (const terms of readings) findTerms(search, terms, 'none');
  if (number !== null && found.wants(SCORE.numberStart)) findNumberStart(search, number);
  if (readings.length === 0) findAbbreviated(search, whole.key);
  for (const spelling of others) findNames(search, spelling);
  for (const terms of readings) findTerms(search, terms, 'spelling');
  if (found.wants(SCORE.setCode)) findSet(search, whole);
  if (number !== null && found.wants(SCORE.numberEnd)) {
    visitNumberEnds(search.tables, number, search.budget, (card) =>
      addByNumber(search, card, number),
    );
  }
}

/** Finds cards by number: exactly as typed first, then without zeros, set or region. */
function findNumber(search: Search, number: QueryNumber): void {
  visitNumber(search.tables, number, (card) => addByNumber(search, card, number));
  findSetAndNumber(search, number);
}

function addByNumber({ tables, found }: Search, card: number, number: QueryNumber): boolean {
  const match = matchNumber(tables, card, number);
  if (match === null) return true;
  // OP09-09 is probably the start of OP09-090, whereas 025 means 25.
  const isUnfinished = match === 'number' && number.mayBeIncomplete;
  const score = SCORE[isUnfinished ? 'numberUnfinished' : match];
  return found.add(card, score, numberOfCard(tables, card).joined);
}

/** Finds `SV2a025` and `sv2a-025/165` by trying every position where the set code may end. */
function findSetAndNumber({ tables, found }: Search, { joined, total }: QueryNumber): void {
  for (let at = 1; at < Math.min(joined.length, SET_CODE_MAX); at++) {
    const { runs } = cardNumberOf(joined.slice(at));
    if (!/\d/.test(runs)) return;
    const sets = new Set<number>();
    tables.labels.visitExact(codeOf(joined.slice(0, at)), LABEL.code, (label) => sets.add(label));
    if (sets.size === 0) continue;
    tables.numbers.visitExact(runs, NUMBER.runs, (card) => {
      const number = numberOfCard(tables, card);
      if (total !== null && total !== number.total) return;
      if (sets.has(tables.setOfCard[card] ?? 0)) found.add(card, SCORE.setAndNumber, number.joined);
    });
  }
}

function findNumberStart(search: Search, number: QueryNumber): void {
  const { joined, total } = number;
  if (joined.length < NUMBER_START_MIN || total !== null) return;
  const { numbers } = search.tables;
  numbers.scan(gramsOfStart(joined), NUMBER.joined, search.budget, (text) => {
    if (!(numbers.texts[text] ?? '').startsWith(joined)) return true;
    numbers.visitOwners(text, NUMBER.joined, (card) => addByNumber(search, card, number));
    return search.found.wants(SCORE.numberStart);
  });
}

function findExact({ tables, found }: Search, spelling: Spelling): void {
  const { key, kinds } = spelling;
  tables.names.visitExact(key, kinds, (card, entry) =>
    found.add(card, SCORE[kindOf(spelling, entry)].exact, key),
  );
}

/** Finds the names that begin with a key, then those that have it at a word's start or inside. */
function findNames({ tables, found, budget }: Search, spelling: Spelling): void {
  const { key, kinds, own, other } = spelling;
  const { names } = tables;
  const scan = (isStart: boolean, best: number, worst: number): void => {
    if (!found.wants(best)) return;
    let read = 0;
    names.scan(isStart ? gramsOfStart(key) : gramsOf(key), kinds, budget, (text) => {
      const name = names.texts[text] ?? '';
      const place = placeOf(key, name, names.wordStarts[text] ?? 0);
      if (place !== null && (!isStart || name.startsWith(key))) {
        names.visitOwners(text, kinds, (card, entry) =>
          found.add(card, scoreOfName(kindOf(spelling, entry), key, name, place), name),
        );
      }
      if (++read >= TEXTS_MAX || !found.wants(best)) return false;
      return read < TEXTS_ENOUGH || found.wants(worst);
    });
  };
  scan(true, SCORE[own].prefix, SCORE[other].prefix);
  // A single letter is in nearly every sound.
  if (own === 'sound' && key.length < 2) return;
  const best = isLatinWord(key) ? SCORE[own].word : SCORE[own].start;
  scan(false, best, SCORE[other].inside);
}

/**
 * Finds names by the beginnings of their words, joined in order, as Japanese abbreviates them:
 * ブラマジガール for ブラック・マジシャン・ガール, 青眼白龍 for 青眼の白龍.
 */
function findAbbreviated({ tables, found, budget }: Search, key: string): void {
  if (key.length < ABBREVIATION_MIN || key.length > ABBREVIATION_MAX) return;
  const start = key.slice(0, leastOf(key));
  const { names } = tables;
  names.scan(gramsOfStart(start), NAMES, budget, (text) => {
    const name = names.texts[text] ?? '';
    const words = wordsIn(name, names.wordStarts[text] ?? 0);
    budget.left -= name.length;
    // For a name of one word, this would only repeat the search for beginnings.
    if (words.length > 1 && isAbbreviation(key, words)) {
      names.visitOwners(text, NAMES, (card) => found.add(card, SCORE.abbreviation, name));
    }
    return found.wants(SCORE.abbreviation);
  });
}

/** Returns whether a key is made of beginnings of two words or more, without a gap. */
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

/** Finds the cards of the sets whose code or name matches, in the order of card numbers. */
function findSet({ tables, found, budget }: Search, term: Term): void {
  const cards = [...fitsOfLabels(tables, term, budget)]
    // Rarities and looks describe a card, but do not name one.
    .filter(([label]) => label < tables.setCodes.length)
    .flatMap(([label, fit]) =>
      Array.from(groupAt(tables.cardsOfLabel, label).subarray(0, found.limit), (card) => ({
        card,
        score: fit === FIT.code ? SCORE.setCode : SCORE.setName,
      })),
    );
  for (const { card, score } of cards.toSorted((a, b) => a.card - b.card)) {
    found.add(card, score, '');
  }
}
