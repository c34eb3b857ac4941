import type { Rarity } from '../card.ts';

/** A word of a name, without what stands between words. */
const WORD = /[\p{L}\p{N}]+/gu;

/**
 * A rarity by its name, its code the first letters of the name's words (`Double Rare` → `DR`), as collectors shorten
 * them. Null for a name that says there is none. A name without letters that have a case is its own code.
 */
export function rarityOf(name: string | null, code: string | null = null): Rarity | null {
  if (name === null || name.toLowerCase() === 'none') return null;
  return { code: code ?? initialsOf(name), name };
}

function initialsOf(name: string): string {
  const words = name.match(WORD) ?? [];
  const hasCase = name.toLowerCase() !== name.toUpperCase();
  if (words.length === 0 || !hasCase) return name;
  return words
    .map((word) => Array.from(word)[0] ?? '')
    .join('')
    .toUpperCase();
}
