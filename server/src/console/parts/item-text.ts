import { html } from 'hono/html';
import type { LocalizedNames, Rarity } from '../../catalog/card.ts';
import type { Grade } from '../../catalog/grade.ts';
import type { BoostProduct } from '../../catalog/product.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import { finishText, kindText, languageText, variantText } from './catalog-text.ts';

/** The properties that `Card` and `BoostCard` have in common. */
export interface NamedCard {
  readonly name: string;
  readonly localizedNames: LocalizedNames;
  readonly languageCode: string;
  readonly cardNumber: string | null;
  readonly setTotalRaw: string | null;
  readonly variant?: string | null;
  readonly finish?: string | null;
  readonly rarity: Rarity | null;
  readonly set: {
    readonly code: string;
    readonly name: string;
    readonly nameEn?: string | null;
  } | null;
}

/** A name with the BCP 47 code of its language. */
export interface ItemName {
  readonly text: string;
  readonly lang: string;
}

/** Returns a card's name in the page's language, or the printed name if it is not translated. */
export function nameOfCard(card: NamedCard, language: Language): ItemName {
  const own = card.localizedNames[language];
  return own === undefined
    ? { text: card.name, lang: card.languageCode }
    : { text: own, lang: language };
}

/** A card or product of the catalog to which a unit or a boost refers. */
export type NamedItem =
  | { readonly kind: 'card'; readonly card: NamedCard }
  | { readonly kind: 'product'; readonly product: BoostProduct };

/** Returns the name of a card or product, in the page's language if it has one. */
export function itemNameOf(item: NamedItem, language: Language): ItemName {
  return item.kind === 'card'
    ? nameOfCard(item.card, language)
    : { text: item.product.name, lang: item.product.languageCode };
}

/**
 * Returns the details that distinguish a card or product from others of the same name, such as the
 * number and the set, as plain text.
 */
export function itemDetailsOf(item: NamedItem, language: Language): string {
  return item.kind === 'card'
    ? detailsOfCard(item.card, language)
    : detailsOfProduct(item.product, language);
}

/**
 * Returns the number, set, rarity and printing, such as `012/100 · Sky Shards (SS1) · R · Foil ·
 * Japanese`.
 */
export function detailsOfCard(card: NamedCard, language: Language): string {
  const { set, variant, finish } = card;
  const setName = set === null ? null : language === 'en' ? (set.nameEn ?? set.name) : set.name;
  const parts = [
    cardNumberText(card),
    set === null ? null : setName === set.code ? set.code : `${setName} (${set.code})`,
    card.rarity?.code,
    variantText(variant ?? null, language),
    finishText(finish ?? null, language),
    card.languageCode === language ? null : languageText(card.languageCode, language),
  ];
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join(' · ');
}

export function detailsOfProduct(product: BoostProduct, language: Language): string {
  const parts = [
    kindText(product.productKind, language),
    product.game.name,
    product.janCode,
    product.languageCode === language ? null : languageText(product.languageCode, language),
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

/** Returns a grade with its service, such as `PSA 10`, or only the label for a shop's own grade. */
export function gradeText({ label, serviceKind, serviceCode, serviceName }: Grade): string {
  const own = label.toLowerCase();
  const hasServiceName = [serviceCode, serviceName].some((name) =>
    own.startsWith(name.toLowerCase()),
  );
  return serviceKind === 'internal' || hasServiceName ? label : `${serviceName} ${label}`;
}

/** Marks the name with its language, so that a screen reader pronounces it correctly. */
export function renderItemName({ text, lang }: ItemName, language: Language): Markup {
  return lang === language ? html`<bdi>${text}</bdi>` : html`<bdi lang="${lang}">${text}</bdi>`;
}

/** Appends the set total to the card number. In many catalogs the number already includes it. */
export function cardNumberText({ cardNumber, setTotalRaw }: NamedCard): string | null {
  return cardNumber === null || setTotalRaw === null || cardNumber.includes('/')
    ? cardNumber
    : `${cardNumber}/${setTotalRaw}`;
}
