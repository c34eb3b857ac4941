import type { Card } from '../catalog/card.ts';
import type { PhotoSide } from '../inventory/unit-photo.ts';
import { makeCards, makeProducts } from './cards.ts';
import { demoId } from './seeded-random.ts';
import { drawBack, drawFront } from './drawing.ts';
import { makeUnits } from './stock.ts';

/** Enough for one page of a price board. Drawing them takes seconds, while the service runs. */
const PHOTOGRAPHED_UNITS = 48;

/** A photo that the demo shop's till uploads. */
export interface DemoPhoto {
  readonly unitId: string;
  readonly side: PhotoSide;
  /** The photo as an SVG document. */
  readonly svg: string;
}

/** Photos of the most expensive cards: both sides of slabs, and the front of other cards. */
export function makePhotos(): readonly DemoPhoto[] {
  const cards = makeCards();
  const byId = new Map(cards.map(({ of }) => [of.id, of]));
  const slabGrades = new Set(
    ['KGS 10', 'KGS 9.5', 'KGS 9', 'HCA Gem', 'HCA Mint'].map((code) => demoId(`grade ${code}`)),
  );
  // The time affects only the dates of the units, not their photos.
  return makeUnits(cards, makeProducts(), new Date(0))
    .flatMap(({ id, item, priceMinor }) => {
      const card: Card | undefined = item?.kind === 'card' ? byId.get(item.cardId) : undefined;
      if (item?.kind !== 'card' || card === undefined) return [];
      return [{ id, card, yen: priceMinor ?? 0, isSlab: slabGrades.has(item.gradeId ?? '') }];
    })
    .toSorted((a, b) => b.yen - a.yen || (a.id < b.id ? -1 : 1))
    .slice(0, PHOTOGRAPHED_UNITS)
    .flatMap(({ id, card, isSlab }): DemoPhoto[] => {
      const front = { unitId: id, side: 'front' as const, svg: drawFront({ card, isSlab }) };
      if (!isSlab) return [front];
      return [front, { unitId: id, side: 'back', svg: drawBack({ card, isSlab }) }];
    });
}

/** The timeout of an upload, which takes about 0.1 s. */
const UPLOAD_MS_MAX = 30_000;

/** The URL of the service and the shop's key. */
export interface ShopApiAccess {
  readonly url: string;
  readonly shopKey: string;
}

/** Uploads a photo through the Shop API, as the shop's till would. */
export async function uploadPhoto(
  { url, shopKey }: ShopApiAccess,
  { unitId, side }: Pick<DemoPhoto, 'unitId' | 'side'>,
  jpeg: Buffer,
): Promise<void> {
  const path = `/shop/v1/units/${unitId}/photos/${side}`;
  const response = await fetch(`${url}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${shopKey}`, 'content-type': 'image/jpeg' },
    body: new Uint8Array(jpeg),
    signal: AbortSignal.timeout(UPLOAD_MS_MAX),
  });
  if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
}
