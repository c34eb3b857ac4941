import { runsOf, type QueryNumber, parseQueryNumber } from './card-number.ts';
import { fold } from '../catalog/fold.ts';
import { looseKeyOf } from './loose-key.ts';
import { nameKeyOf, scriptPartsOf, wordsOf } from './name-key.ts';
import { phoneticQueryKeyOf } from './phonetic-key.ts';

export interface Term {
  readonly key: string;
  /** The loose key, empty if the key is Latin. */
  readonly loose: string;
  /** The phonetic key, or null if the key is not plain Latin or does not spell a sound. */
  readonly phonetic: string | null;
  readonly runs: string;
  /** The card number that the term may spell, or null if the term has no digit. */
  readonly number: QueryNumber | null;
  readonly parts: readonly Term[];
}

/** A parsed query. It has only plain values, so that it can be sent between threads. */
export interface SearchQuery {
  /** The complete text, joined. Its key is empty for a blank query. */
  readonly whole: Term;
  /** A card must match all of these terms. */
  readonly terms: readonly Term[];
}

/** Limits the terms of a query. The name, number, set and rarity of a card have fewer words. */
const TERMS_MAX = 8;
const PARTS_MAX = 4;

/** Words for signs that keys omit: “Reshiram and Charizard” for “Reshiram & Charizard”. */
const SIGNS_AS_WORDS: ReadonlySet<string> = new Set(['and', 'und', 'et', 'と']);

const SPACED_TOTAL = /(?<=\d)\s*\/\s*(?=\d)/g;

/** Parses a query once for all indexes. Never throws. */
export function parseQuery(text: string): SearchQuery {
  const words = fold(text).replace(SPACED_TOTAL, '/').trim().split(/\s+/);
  const whole = termOf(text, []);
  const spaced = termsOf(words, (word) => partsOf(word));
  const [only] = spaced;
  if (spaced.length !== 1 || only === undefined) return { whole, terms: spaced };
  const isOneNumber = isNumberLike(words.find(hasWord) ?? '');
  return { whole, terms: only.parts.length > 1 && !isOneNumber ? only.parts : [only] };
}

function termOf(text: string, parts: readonly Term[]): Term {
  const { key } = nameKeyOf(text);
  const folded = fold(text);
  return {
    key,
    loose: LATIN_ONLY.test(key) ? '' : looseKeyOf(key),
    phonetic: phoneticQueryKeyOf(key),
    runs: runsOf(folded),
    number: parseQueryNumber(folded),
    parts,
  };
}

const LATIN_ONLY = /^[\u0021-\u024f]*$/;

/** Six letters in a row form a word: no set, region or promotion code has that length. */
const WORD_IN_NUMBER = /[a-z]{6}/;

/**
 * Returns whether a word looks like a printed number (OP01-001, 025/165). A query of only such a
 * word is not split into parts.
 */
function isNumberLike(word: string): boolean {
  return LATIN_ONLY.test(word) && /\d/.test(word) && !WORD_IN_NUMBER.test(word);
}

function hasWord(text: string): boolean {
  return wordsOf(text).length > 0;
}

function partsOf(word: string): Term[] {
  // A number with its total (025/165) is not split.
  if (isNumberLike(word) && word.includes('/')) return [];
  const byScript = scriptPartsOf(word).filter(hasWord);
  const parts = byScript.length > 1 ? byScript : wordsOf(word);
  return parts.length < 2 ? [] : termsOf(parts, () => []).slice(0, PARTS_MAX);
}

/** Returns unique terms. Texts of punctuation only count if there are no other texts. */
function termsOf(texts: readonly string[], parts: (text: string) => readonly Term[]): Term[] {
  const worded = texts.filter(hasWord);
  const unique = new Map<string, Term>();
  for (const text of worded.length > 0 ? worded : texts) {
    const term = termOf(text, parts(text));
    if (term.key !== '' && !unique.has(term.key)) unique.set(term.key, term);
  }
  const all = [...unique.values()];
  const meant = all.filter((term) => !SIGNS_AS_WORDS.has(term.key));
  return (meant.length > 1 ? meant : all).slice(0, TERMS_MAX);
}
