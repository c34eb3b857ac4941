import { looseKeyOf } from './loose-key.ts';
import { nameKeyOf } from './name-key.ts';
import { phoneticKeyOfKana, phoneticKeyOfLatin } from './phonetic-key.ts';

/**
 * How a text belongs to a card, as bits: one text may be both a name of a card and the sound of
 * another of its names.
 */
export const SPELLING_KIND = {
  primary: 1,
  localized: 2,
  /** The loose key of a name, where it differs from the key. */
  loose: 4,
  /** How a name sounds, in Latin letters. */
  phonetic: 8,
} as const;

export const NAME_KINDS = SPELLING_KIND.primary | SPELLING_KIND.localized;

/** Card numbers are shifted by this. */
export const SPELLING_KIND_BITS = 4;

export interface NameSpellings {
  readonly key: string;
  readonly wordStarts: number;
  /** Null when it equals the key. */
  readonly loose: string | null;
  /** Null when the sound of the name is unknown. */
  readonly phonetic: string | null;
}

const LATIN_SCRIPT = /-latn\b/i;

/** `tag`: the name's language; null for the card's `name`. */
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
