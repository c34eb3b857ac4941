import { looseKeyOf } from './loose-key.ts';
import { nameKeyOf } from './name-key.ts';
import { phoneticKeyOfKana, phoneticKeyOfLatin } from './phonetic-key.ts';

/**
 * How a text belongs to a card, as bits: one text may be both a name of a card and the sound of
 * another name of that card.
 */
export const SPELLING_KIND = {
  primary: 1,
  localized: 2,
  /** The loose key of a name, if it differs from the key. */
  loose: 4,
  /** The sound of a name, in Latin letters. */
  phonetic: 8,
} as const;

export const NAME_KINDS = SPELLING_KIND.primary | SPELLING_KIND.localized;

/** Card and spelling numbers are shifted left by this many bits to make room for the kinds. */
export const SPELLING_KIND_BITS = 4;

export interface NameSpellings {
  readonly key: string;
  readonly wordStarts: number;
  /** The loose key, or null if it equals the key. */
  readonly loose: string | null;
  /** The phonetic key, or null if the sound of the name is unknown. */
  readonly phonetic: string | null;
}

const LATIN_SCRIPT = /-latn\b/i;

/** Returns a name's spellings. `tag` is its language, or null for the card's `name`. */
export function spellingsOfName(name: string, tag: string | null): NameSpellings {
  const { key, wordStarts } = nameKeyOf(name);
  const loose = looseKeyOf(key);
  const isRomaji = tag !== null && LATIN_SCRIPT.test(tag);
  return {
    key,
    wordStarts,
    loose: loose === key || loose === '' ? null : loose,
    phonetic: isRomaji ? phoneticKeyOfLatin(key) : phoneticKeyOfKana(key),
  };
}
