import type { FormName, ReadElement } from './form.ts';
import { canonicalLanguage } from './language.ts';
import { pokemonTcgDataForm } from './pokemon-tcg-data.ts';
import { scryfallForm } from './scryfall.ts';
import type { KnownSets } from './sets.ts';
import { tcgdexForm } from './tcgdex.ts';
import { ygoprodeckForm } from './ygoprodeck.ts';

export interface FormOptions {
  readonly languages: readonly string[];
  readonly sets: KnownSets;
  /** Called for each card with a set that is known only by its id. */
  readonly onUnknownSet?: (setId: string) => void;
}

/** The reader of a format, or why its options are invalid. */
export type OpenFormResult =
  | { readonly kind: 'open'; readonly read: ReadElement }
  | { readonly kind: 'misused'; readonly reason: string };

/** The language of files that do not state theirs. */
const DEFAULT_LANGUAGE = 'en';

export function openForm(
  form: Exclude<FormName, 'cardport'>,
  { languages: given, sets, onUnknownSet }: FormOptions,
): OpenFormResult {
  const languages: string[] = [];
  for (const tag of given) {
    const canonical = canonicalLanguage(tag);
    if (canonical === null) {
      return misuse(`--language ${tag} must be a language tag such as ja or zh-TW`);
    }
    languages.push(canonical);
  }
  if (form === 'scryfall') return { kind: 'open', read: scryfallForm({ languages, sets }) };
  if (languages.length > 1) return misuse('--language is given twice: a file is of one language');
  const [language] = languages;
  switch (form) {
    case 'tcgdex':
      return language === undefined
        ? misuse('--language is missing: cards of TCGdex do not say theirs')
        : { kind: 'open', read: tcgdexForm({ language, sets }) };
    case 'pokemon-tcg-data': {
      const options = { language: language ?? DEFAULT_LANGUAGE, sets, onUnknownSet };
      return { kind: 'open', read: pokemonTcgDataForm(options) };
    }
    case 'ygoprodeck':
      return { kind: 'open', read: ygoprodeckForm({ language: language ?? DEFAULT_LANGUAGE }) };
  }
}

function misuse(reason: string): OpenFormResult {
  return { kind: 'misused', reason };
}
