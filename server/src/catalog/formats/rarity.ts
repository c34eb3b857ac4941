import type { Rarity } from '../card.ts';

const WORD = /[\p{L}\p{N}]+/gu;

/**
 * The name `None` gives null. Without a `code`, the code is the initials of the name (`Rare Prime`
 * → `RP`), or the name itself if its script has no upper and lower case, like Japanese.
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
