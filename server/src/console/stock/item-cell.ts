import { html } from 'hono/html';
import type { StockItem } from '../../inventory/stock-item.ts';
import type { StockUnit } from '../../inventory/stock-list.ts';
import type { PhotoSide, ShownPhoto } from '../../inventory/unit-photo.ts';
import type { Language } from '../../html/language.ts';
import type { Markup } from '../../html/page.ts';
import type { ImageSize } from '../../images/image-store.ts';
import { itemDetailsOf, gradeText, renderItemName, itemNameOf } from '../parts/item-text.ts';
import { withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';
import { itemCellMessages } from './messages/list.ts';

/** Returns a card's grade as all pages show it, or null for an ungraded card or a product. */
export function itemGradeText(item: StockItem): string | null {
  return item.kind !== 'card' || item.grade === null ? null : gradeText(item.grade);
}

/** Returns the certificate and serial numbers of a unit, each with its label. */
function numbersOf({ certNumber, serialNumber }: StockUnit, language: Language): string[] {
  const { cert, serial } = itemCellMessages[language];
  return [
    ...(certNumber === null ? [] : [cert(certNumber)]),
    ...(serialNumber === null ? [] : [serial(serialNumber)]),
  ];
}

/** The address changes with the image, so that browsers can cache the photo. */
export function photoPath(
  context: RequestContext,
  unitId: string,
  { side, etag }: Pick<ShownPhoto, 'side' | 'etag'>,
  size: ImageSize,
): string {
  const version = etag.replaceAll('"', '');
  return withQuery(context.shopPath(`/stock/${unitId}/photos/${side}`), { size, v: version });
}

/** Renders a unit as a row's heading: a small photo, the name as a link, and details. */
export function unitCell(context: RequestContext, unit: StockUnit): Markup {
  const { language } = context;
  const { id, item } = unit;
  const details = [itemDetailsOf(item, language), ...numbersOf(unit, language)].filter(Boolean);
  return html`<span class="unit">
    ${thumb(context, unit)}
    <span>
      <a class="unit-name" href="${context.shopPath(`/stock/${id}`)}"
        >${renderItemName(itemNameOf(item, language), language)}</a
      >
      <span class="item-details">${details.join(' · ')}</span>
    </span>
  </span>`;
}

/** Has no alternative text, because the name next to the photo says the same. */
function thumb(context: RequestContext, { id, photos }: StockUnit): Markup {
  const photo = photos[0];
  return photo === undefined
    ? html`<span class="thumb"></span>`
    : html`<img
        class="thumb"
        src="${photoPath(context, id, photo, 'small')}"
        alt=""
        width="45"
        height="63"
        loading="lazy"
        decoding="async"
      />`;
}

export function sideName(side: PhotoSide, language: Language): string {
  return itemCellMessages[language].side[side];
}

export function photoText(side: PhotoSide, item: StockItem, language: Language): string {
  return itemCellMessages[language].photoOf(side, itemNameOf(item, language).text);
}
