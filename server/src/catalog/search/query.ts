import { runsOf, type SoughtNumber, soughtNumberOf } from './card-number.ts';
import { fold } from './fold.ts';
import { looseKeyOf } from './loose.ts';
import { nameKeyOf, scriptPartsOf, wordsOf } from './name-key.ts';
import { soughtSoundOf } from './sound.ts';

/** One thing that a card must have, or all `parts` of it. */
export interface Term {
  readonly key: string;
  /** Empty when it is Latin: then there is nothing to be unsure of. */
  readonly loose: string;
  /** Null when it is not plain Latin, or no spelling of a sound. */
  readonly sound: string | null;
  /** As the code of a set or rarity is compared. */
  readonly runs: string;
  /** Null when it holds no digit. */
  readonly number: SoughtNumber | null;
  readonly parts: readonly Term[];
}

/** What a person typed, in every form in which it is sought. Plain values only, so that it may travel between threads. */
export interface SearchQuery {
  /** All of it, joined. Empty when nothing was typed. */
  readonly whole: Term;
  /** One or more, in order; each must be true of a card. */
  readonly terms: readonly Term[];
}

/** More terms than a card's name, number, set and rarity have words; the rest of a longer query is not asked for. */
const TERMS_MAX = 8;
/** Parts of one term: name, number, set and rarity typed together. */
const PARTS_MAX = 4;

/** Words that stand where names have a sign that is dropped: “Reshiram and Charizard” for “Reshiram & Charizard”. */
const SIGNS_AS_WORDS: ReadonlySet<string> = new Set(['and', 'und', 'et', 'と']);

/** A number and its total, typed apart. */
const SPACED_TOTAL = /(?<=\d)\s*\/\s*(?=\d)/g;

/** Parses what a person typed, once for all indexes. Never throws, whatever the text. */
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
    sound: soughtSoundOf(key),
    runs: runsOf(folded),
    number: soughtNumberOf(folded),
    parts,
  };
}

const LATIN_ONLY = /^[\u0021-\u024f]*$/;

/** Longer runs of letters are words: no game's code of a set, region or promotion has so many. */
const WORD_IN_NUMBER = /[a-z]{6}/;

/** A word that is a number as games print it (OP01-001, 025/165): by itself it means nothing in parts. */
function isNumberLike(word: string): boolean {
  return LATIN_ONLY.test(word) && /\d/.test(word) && !WORD_IN_NUMBER.test(word);
}

/** True when a text is not only punctuation: a dash between two words is no word. */
function hasWord(text: string): boolean {
  return wordsOf(text).length > 0;
}

/** What a word without spaces may be put together from: by its scripts, else by its punctuation. */
function partsOf(word: string): Term[] {
  // A number with its total (025/165) means nothing in parts.
  if (isNumberLike(word) && word.includes('/')) return [];
  const byScript = scriptPartsOf(word).filter(hasWord);
  const parts = byScript.length > 1 ? byScript : wordsOf(word);
  return parts.length < 2 ? [] : termsOf(parts, () => []).slice(0, PARTS_MAX);
}

/** The terms of texts, each once; texts of nothing but punctuation count only where there is nothing else. */
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
