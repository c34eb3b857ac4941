import { codeOf, type QueryNumber, queryNumberOf } from './card-number.ts';
import { fold } from './fold.ts';
import { isLatin, looseKeyOf, nameKeyOf, scriptPartsOf, wordsOf } from './name-key.ts';
import { soundOfQuery } from './romaji.ts';

export interface Term {
  readonly key: string;
  readonly loose: string;
  readonly sound: string;
  readonly code: string;
  /** The card number that the term may spell, or null if the term has no digit. */
  readonly number: QueryNumber | null;
}

export interface Query {
  /** The complete text as one term. Its key is empty for a blank query. */
  readonly whole: Term;
  /** Alternative lists of terms, tried in order: words, then words split by script and sign. */
  readonly readings: readonly (readonly Term[])[];
}

/** The maximum number of terms. A card's name, number, set and rarity have fewer words. */
const TERMS_MAX = 8;
const PARTS_MAX = 4;

/** Words for signs that keys omit: “Reshiram and Charizard” for “Reshiram & Charizard”. */
const SIGNS_AS_WORDS: ReadonlySet<string> = new Set(['and', 'und', 'et', 'と']);
const SPACED_TOTAL = /(?<=\d)\s*\/\s*(?=\d)/g;
/** Six letters in a row form a word: no set, region or promotion code has that length. */
const WORD_IN_NUMBER = /[a-z]{6}/;

export function parseQuery(text: string): Query {
  const words = fold(text).replace(SPACED_TOTAL, '/').trim().split(/\s+/);
  const worded = words.filter((word) => wordsOf(word).length > 0);
  // A single number (OP01-001) is not split.
  const isOneNumber = worded.length === 1 && isNumberLike(worded[0] ?? '');
  const parts = isOneNumber ? [] : worded.map(partsOf);
  const readings = [termsOf(worded.length > 0 ? worded : words)];
  if (parts.some(({ length }) => length > 1)) readings.push(termsOf(parts.flat()));
  return { whole: termOf(text), readings: readings.filter(({ length }) => length > 1) };
}

function termOf(text: string): Term {
  const { key } = nameKeyOf(text);
  return {
    key,
    loose: isLatin(key) ? '' : looseKeyOf(key),
    sound: soundOfQuery(key),
    code: codeOf(text),
    number: queryNumberOf(fold(text)),
  };
}

/** Returns whether a word looks like a printed number (OP01-001, 025/165). */
function isNumberLike(word: string): boolean {
  return isLatin(word) && /\d/.test(word) && !WORD_IN_NUMBER.test(word);
}

function partsOf(word: string): string[] {
  if (isNumberLike(word) && word.includes('/')) return [word];
  const byScript = scriptPartsOf(word).filter((part) => wordsOf(part).length > 0);
  return (byScript.length > 1 ? byScript : wordsOf(word)).slice(0, PARTS_MAX);
}

function termsOf(texts: readonly string[]): Term[] {
  const all = [...new Map(texts.map(termOf).map((term) => [term.key, term])).values()];
  const meant = all.filter(({ key }) => key !== '' && !SIGNS_AS_WORDS.has(key));
  return (meant.length > 1 ? meant : all).slice(0, TERMS_MAX);
}
