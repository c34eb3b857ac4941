import type { Language } from '../../html/language.ts';

/** The text is null for the usual value, which is not shown. */
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

/** The catalog may add variants, so an unknown one is shown unchanged. */
export function variantText(variant: string | null, language: Language): string | null {
  return translate(VARIANTS, variant, language);
}

/** Returns the name of the finish of a card's surface, or null for the usual finish. */
export function finishText(finish: string | null, language: Language): string | null {
  return translate(FINISHES, finish, language);
}

/** Returns the name of the kind of a sealed product. The catalog may add kinds (spec 2.2). */
export function kindText(kind: string, language: Language): string | null {
  return translate(KINDS, kind, language);
}

/** Returns the name of the language that an item is printed in, from its BCP 47 code. */
export function languageText(code: string, language: Language): string | null {
  return translate(LANGUAGES, code, language);
}

function translate(texts: CatalogTexts, value: string | null, language: Language): string | null {
  if (value === null) return null;
  const known = texts.get(value.toLowerCase());
  return known === undefined ? value : known[language];
}
