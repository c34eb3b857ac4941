import { NAME } from './card-tables.ts';
import type { Term } from './query.ts';
import type { NameKind } from './score.ts';

export const NAMES = NAME.primary | NAME.localized;

/** A key of a term, and the kinds of names that are compared with it. */
export interface Spelling {
  readonly key: string;
  readonly kinds: number;
  /** The kind of score for a card's primary name; `other` is for its other names. */
  readonly own: NameKind;
  readonly other: NameKind;
}

export function nameSpelling({ key }: Term): Spelling {
  return { key, kinds: NAMES, own: 'primary', other: 'localized' };
}

/** Returns the loose key and the sound of a term, if it has them. */
export function otherSpellings({ key, loose, sound }: Term): Spelling[] {
  // If the loose key equals the key, the names are already compared with it.
  const kinds = loose === key ? NAME.loose : NAMES | NAME.loose;
  const spellings: Spelling[] = [
    { key: loose, kinds, own: 'loose', other: 'loose' },
    { key: sound, kinds: NAME.sound, own: 'sound', other: 'sound' },
  ];
  return spellings.filter((spelling) => spelling.key !== '');
}

export function kindOf({ own, other }: Spelling, entry: number): NameKind {
  return (entry & NAME.primary) === 0 ? other : own;
}
