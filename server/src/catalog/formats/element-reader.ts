import type { FormatName, ReadElement } from './format.ts';
import { canonicalLanguage } from './language.ts';
import { pokemonTcgDataReader } from './pokemon-tcg-data.ts';
import { scryfallReader } from './scryfall.ts';
import type { KnownSets } from './sets.ts';
import { tcgdexReader } from './tcgdex.ts';
import { ygoprodeckReader } from './ygoprodeck.ts';

export interface ElementReaderOptions {
  readonly languages: readonly string[];
  readonly sets: KnownSets;
  /** Called for each card with a set that is not in `sets`. */
  readonly onUnknownSet?: (setId: string) => void;
}

export type ElementReaderResult =
  | { readonly kind: 'open'; readonly read: ReadElement }
  | { readonly kind: 'misused'; readonly reason: string };

const DEFAULT_LANGUAGE = 'en';

export function createElementReader(
  format: Exclude<FormatName, 'cardport'>,
  { languages: given, sets, onUnknownSet }: ElementReaderOptions,
): ElementReaderResult {
  const languages: string[] = [];
  for (const tag of given) {
    const canonical = canonicalLanguage(tag);
    if (canonical === null) {
      return misuse(`--language ${tag} must be a language tag such as ja or zh-TW`);
    }
    languages.push(canonical);
  }
  if (format === 'scryfall') return { kind: 'open', read: scryfallReader({ languages, sets }) };
  if (languages.length > 1)
    return misuse('--language can be given once: this format has one language');
  const [language] = languages;
  switch (format) {
    case 'tcgdex':
      return language === undefined
        ? misuse('--language is missing: TCGdex cards do not state their language')
        : { kind: 'open', read: tcgdexReader({ language, sets }) };
    case 'pokemon-tcg-data': {
      const options = { language: language ?? DEFAULT_LANGUAGE, sets, onUnknownSet };
      return { kind: 'open', read: pokemonTcgDataReader(options) };
    }
    case 'ygoprodeck':
      return { kind: 'open', read: ygoprodeckReader({ language: language ?? DEFAULT_LANGUAGE }) };
  }
}

function misuse(reason: string): ElementReaderResult {
  return { kind: 'misused', reason };
}
