import { looseKeyOf } from './loose.ts';
import { nameKeyOf } from './name-key.ts';
import { soundOfKana, soundOfLatin } from './sound.ts';

/**
 * How a text belongs to a card, as bits: one text may be both a name of a card and the sound of
 * another of its names.
 */
export const SPELLING = {
  /** The card's `name`. */
  primary: 1,
  /** A name in another language or script. */
  localized: 2,
  /** The loose key of a name, where it differs from the key. */
  loose: 4,
  /** How a name sounds, in Latin letters. */
  sound: 8,
} as const;

/** The names themselves, without derived texts. */
export const OWN = SPELLING.primary | SPELLING.localized;

/** Bits for the kinds; card numbers are shifted by this. */
export const SPELLING_BITS = 4;

export interface NameSpellings {
  readonly key: string;
  readonly wordStarts: number;
  /** Null when it equals the key. */
  readonly loose: string | null;
  /** Null when the sound of the name is unknown. */
  readonly sound: string | null;
}

const LATIN_SCRIPT = /-latn\b/i;

/** The spellings of a name under its language tag (null for the card's `name`). */
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
