import { html } from 'hono/html';
import type { CatalogTarget } from '../../boosts/boost-target.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import {
  detailsOfCard,
  detailsOfProduct,
  gradeText,
  itemName,
  type ItemName,
  nameOfCard,
} from '../cards/item-words.ts';
import { boostFormMessages } from './messages/form.ts';

/** The name of what a boost is for, in the language of the page where there is one. */
export function nameOfTarget(target: CatalogTarget, language: Language): ItemName {
  return target.kind === 'card'
    ? nameOfCard(target.card, language)
    : { text: target.product.name, lang: target.product.languageCode };
}

/** What tells the card or product from others of its name. */
export function detailsOfTarget(target: CatalogTarget, language: Language): string {
  return target.kind === 'card'
    ? detailsOfCard(target.card, language)
    : detailsOfProduct(target.product, language);
}

/** The grade that is wanted; null for a product, which has none. */
export function gradeOfTarget(target: CatalogTarget, language: Language): string | null {
  if (target.kind === 'product') return null;
  const { grade } = target;
  return grade === null ? boostFormMessages[language].anyGrade : gradeText(grade);
}

/** Name and details, for a row. */
export function describeTarget(target: CatalogTarget, language: Language, href?: string): Markup {
  const name = itemName(nameOfTarget(target, language), language);
  const details = detailsOfTarget(target, language);
  return html`<span class="item-name"
      >${href === undefined ? name : html`<a href="${href}">${name}</a>`}</span
    >
    ${details === '' ? '' : html`<span class="item-details">${details}</span>`}`;
}
