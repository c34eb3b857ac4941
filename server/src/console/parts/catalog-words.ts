import type { Language } from '../../pages/language.ts';

/** A catalog value in each language; null for the usual value, which is not shown. */
type CatalogWords = ReadonlyMap<string, Readonly<Record<Language, string | null>>>;

const VARIANTS: CatalogWords = new Map([
  ['normal', { en: null, ja: null }],
  ['1st-edition', { en: '1st edition', ja: '初版' }],
  ['unlimited', { en: 'Unlimited', ja: '無制限版' }],
  ['promo', { en: 'Promo', ja: 'プロモ' }],
]);

const FINISHES: CatalogWords = new Map([
  ['normal', { en: null, ja: null }],
  ['nonfoil', { en: null, ja: null }],
  ['holo', { en: 'Holo', ja: 'ホロ' }],
  ['reverse', { en: 'Reverse holo', ja: 'リバースホロ' }],
  ['foil', { en: 'Foil', ja: 'フォイル' }],
  ['etched', { en: 'Etched', ja: 'エッチング' }],
]);

const KINDS: CatalogWords = new Map([
  ['box', { en: 'Box', ja: 'BOX' }],
  ['pack', { en: 'Pack', ja: 'パック' }],
  ['deck', { en: 'Deck', ja: 'デッキ' }],
  ['case', { en: 'Case', ja: 'カートン' }],
]);

const LANGUAGES: CatalogWords = new Map([
  ['ja', { en: 'Japanese', ja: '日本語版' }],
  ['en', { en: 'English', ja: '英語版' }],
  ['ko', { en: 'Korean', ja: '韓国語版' }],
  ['zh', { en: 'Chinese', ja: '中国語版' }],
]);

/** The printing of a card. These sets are open: an unknown value is shown as the catalog has it. */
export function variantWord(variant: string | null, language: Language): string | null {
  return wordOf(VARIANTS, variant, language);
}

/** The finish of a card's surface; null for the usual one. */
export function finishWord(finish: string | null, language: Language): string | null {
  return wordOf(FINISHES, finish, language);
}

/** The kind of a sealed product (specification 2.2: an open set). */
export function kindWord(kind: string, language: Language): string | null {
  return wordOf(KINDS, kind, language);
}

/** The language something is printed in, by its BCP 47 code. */
export function languageWord(code: string, language: Language): string | null {
  return wordOf(LANGUAGES, code, language);
}

function wordOf(words: CatalogWords, value: string | null, language: Language): string | null {
  if (value === null) return null;
  const known = words.get(value.toLowerCase());
  return known === undefined ? value : known[language];
}
