import { looseKeyOf } from './loose.ts';
import { nameKeyOf } from './name-key.ts';
import { soundOfKana, soundOfLatin } from './sound.ts';

/**
 * How a text belongs to a card, as bits: one text may be the name of a card and the sound of another name of it.
 */
export const SPELLING = {
  /** The card's own name. */
  primary: 1,
  /** A name in another language or script. */
  localized: 2,
  /** A loose key of a name that differs from the name's key. */
  loose: 4,
  /** How a name sounds in Latin letters. */
  sound: 8,
} as const;

/** The names themselves, without what was derived from them. */
export const OWN = SPELLING.primary | SPELLING.localized;

/** How many bits the kinds take: a card number is shifted by them. */
export const SPELLING_BITS = 4;

/** The texts that a name is found by. */
export interface NameSpellings {
  readonly key: string;
  readonly wordStarts: number;
  /** Null when it is the key itself. */
  readonly loose: string | null;
  /** Null when the name cannot be typed in Latin letters. */
  readonly sound: string | null;
}

const LATIN_SCRIPT = /-latn\b/i;

/** The spellings of a name under its language tag (null: the card's own name). */
export function spellingsOfName(name: string, tag: string | null): NameSpellings {
  const { key, wordStarts } = nameKeyOf(name);
  const loose = looseKeyOf(key);
  const isRomaji = tag !== null && LATIN_SCRIPT.test(tag);
  return {
    key,
    wordStarts,
    loose: loose === key || loose === '' ? null : loose,
    sound: isRomaji ? soundOfLatin(key) : soundOfKana(key),
  };
}
