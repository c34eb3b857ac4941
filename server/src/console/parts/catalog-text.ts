import type { Language } from '../../html/language.ts';

/** A catalog value in each language; null for the usual value, which is not shown. */
type CatalogTexts = ReadonlyMap<string, Readonly<Record<Language, string | null>>>;

const VARIANTS: CatalogTexts = new Map([
  ['normal', { en: null, ja: null }],
  ['1st-edition', { en: '1st edition', ja: '初版' }],
  ['unlimited', { en: 'Unlimited', ja: '無制限版' }],
  ['promo', { en: 'Promo', ja: 'プロモ' }],
]);

const FINISHES: CatalogTexts = new Map([
  ['normal', { en: null, ja: null }],
  ['nonfoil', { en: null, ja: null }],
  ['holo', { en: 'Holo', ja: 'ホロ' }],
  ['reverse', { en: 'Reverse holo', ja: 'リバースホロ' }],
  ['foil', { en: 'Foil', ja: 'フォイル' }],
  ['etched', { en: 'Etched', ja: 'エッチング' }],
]);

const KINDS: CatalogTexts = new Map([
  ['box', { en: 'Box', ja: 'BOX' }],
  ['pack', { en: 'Pack', ja: 'パック' }],
  ['deck', { en: 'Deck', ja: 'デッキ' }],
  ['case', { en: 'Case', ja: 'カートン' }],
]);

const LANGUAGES: CatalogTexts = new Map([
  ['ja', { en: 'Japanese', ja: '日本語版' }],
  ['en', { en: 'English', ja: '英語版' }],
  ['ko', { en: 'Korean', ja: '韓国語版' }],
  ['zh', { en: 'Chinese', ja: '中国語版' }],
]);

/** The printing of a card. These sets are open: an unknown value is shown as the catalog has it. */
export function variantText(variant: string | null, language: Language): string | null {
  return translate(VARIANTS, variant, language);
}

/** The finish of a card's surface; null for the usual one. */
export function finishText(finish: string | null, language: Language): string | null {
  return translate(FINISHES, finish, language);
}

/** The kind of a sealed product (spec 2.2: an open set). */
export function kindText(kind: string, language: Language): string | null {
  return translate(KINDS, kind, language);
}

/** The language something is printed in, by its BCP 47 code. */
export function languageText(code: string, language: Language): string | null {
  return translate(LANGUAGES, code, language);
}

function translate(texts: CatalogTexts, value: string | null, language: Language): string | null {
  if (value === null) return null;
  const known = texts.get(value.toLowerCase());
  return known === undefined ? value : known[language];
}
