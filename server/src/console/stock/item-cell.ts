import { html } from 'hono/html';
import type { StockItem } from '../../inventory/stock-item.ts';
import type { StockUnit } from '../../inventory/stock-list.ts';
import type { PhotoSide, ShownPhoto } from '../../inventory/unit-photo.ts';
import type { Language } from '../../pages/language.ts';
import type { Markup } from '../../pages/page.ts';
import type { PictureSize } from '../../pictures/picture-store.ts';
import { detailsOf, gradeText, itemName, nameOf } from '../parts/item-words.ts';
import { withQuery } from '../query.ts';
import type { Visit } from '../visit.ts';
import { itemCellMessages } from './messages/list.ts';

/** A card's grade as all pages name it; null for ungraded cards and products. */
export function gradeOf(item: StockItem): string | null {
  return item.kind !== 'card' || item.grade === null ? null : gradeText(item.grade);
}

/** The numbers on the piece, each with its label. */
function numbersOf({ certNumber, serialNumber }: StockUnit, language: Language): string[] {
  const { cert, serial } = itemCellMessages[language];
  return [
    ...(certNumber === null ? [] : [cert(certNumber)]),
    ...(serialNumber === null ? [] : [serial(serialNumber)]),
  ];
}

/** The address of a photo; it changes with the picture, so that browsers can cache it. */
export function photoPath(
  visit: Visit,
  unitId: string,
  { side, etag }: Pick<ShownPhoto, 'side' | 'etag'>,
  size: PictureSize,
): string {
  const version = etag.replaceAll('"', '');
  return withQuery(visit.path(`/stock/${unitId}/photos/${side}`), { size, v: version });
}

/** A unit as a row's heading: a small picture, its name as a link, and its details. */
export function unitCell(visit: Visit, unit: StockUnit): Markup {
  const { language } = visit;
  const { id, item } = unit;
  const details = [detailsOf(item, language), ...numbersOf(unit, language)].filter(Boolean);
  return html`<span class="unit">
    ${thumb(visit, unit)}
    <span>
      <a class="unit-name" href="${visit.path(`/stock/${id}`)}"
        >${itemName(nameOf(item, language), language)}</a
      >
      <span class="item-details">${details.join(' · ')}</span>
    </span>
  </span>`;
}

/** No alternative text: the name next to the picture says the same. */
function thumb(visit: Visit, { id, photos }: StockUnit): Markup {
  const photo = photos[0];
  return photo === undefined
    ? html`<span class="thumb"></span>`
    : html`<img
        class="thumb"
        src="${photoPath(visit, id, photo, 'small')}"
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

/** The alternative text of a photo. */
export function photoText(side: PhotoSide, item: StockItem, language: Language): string {
  return itemCellMessages[language].photoOf(side, nameOf(item, language).text);
}
