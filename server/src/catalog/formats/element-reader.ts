import type { FormatName, ReadElement } from './format.ts';
import { canonicalLanguage } from './language.ts';
import { pokemonTcgDataReader } from './pokemon-tcg-data.ts';
import { scryfallReader } from './scryfall.ts';
import type { KnownSets } from './sets.ts';
import { tcgdexReader } from './tcgdex.ts';
import { ygoprodeckReader } from './ygoprodeck.ts';

export interface FormatOptions {
  readonly languages: readonly string[];
  readonly sets: KnownSets;
  /** Called for each card with an unknown set, of which only the id is known. */
  readonly onUnknownSet?: (setId: string) => void;
}

export type OpenFormatResult =
  | { readonly kind: 'open'; readonly read: ReadElement }
  | { readonly kind: 'misused'; readonly reason: string };

const DEFAULT_LANGUAGE = 'en';

export function openFormat(
  format: Exclude<FormatName, 'cardport'>,
  { languages: given, sets, onUnknownSet }: FormatOptions,
): OpenFormatResult {
  const languages: string[] = [];
  for (const tag of given) {
    const canonical = canonicalLanguage(tag);
    if (canonical === null) {
      return misuse(`--language ${tag} must be a language tag such as ja or zh-TW`);
    }
    languages.push(canonical);
  }
  if (format === 'scryfall') return { kind: 'open', read: scryfallReader({ languages, sets }) };
  if (languages.length > 1) return misuse('--language is given twice: a file is of one language');
  const [language] = languages;
  switch (format) {
    case 'tcgdex':
      return language === undefined
        ? misuse('--language is missing: cards of TCGdex do not say theirs')
        : { kind: 'open', read: tcgdexReader({ language, sets }) };
    case 'pokemon-tcg-data': {
      const options = { language: language ?? DEFAULT_LANGUAGE, sets, onUnknownSet };
      return { kind: 'open', read: pokemonTcgDataReader(options) };
    }
    case 'ygoprodeck':
      return { kind: 'open', read: ygoprodeckReader({ language: language ?? DEFAULT_LANGUAGE }) };
  }
}

function misuse(reason: string): OpenFormatResult {
  return { kind: 'misused', reason };
}
