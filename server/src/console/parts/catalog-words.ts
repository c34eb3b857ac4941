import type { Language } from '../../pages/language.ts';

/** A value of the catalog in each language; null: so usual that it is not told. */
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

/** Which printing a card is of. These sets are open: what is not known here is shown as the catalog has it. */
export function variantWord(variant: string | null, language: Language): string | null {
  return wordOf(VARIANTS, variant, language);
}

/** How the surface of a card is made; null for the usual one. */
export function finishWord(finish: string | null, language: Language): string | null {
  return wordOf(FINISHES, finish, language);
}

/** What a sealed product is (specification 2.2: an open set). */
export function kindWord(kind: string, language: Language): string | null {
  return wordOf(KINDS, kind, language);
}

/** The language that something is printed in, by its code (BCP 47). */
export function languageWord(code: string, language: Language): string | null {
  return wordOf(LANGUAGES, code, language);
}

function wordOf(words: CatalogWords, value: string | null, language: Language): string | null {
  if (value === null) return null;
  const known = words.get(value.toLowerCase());
  return known === undefined ? value : known[language];
}
