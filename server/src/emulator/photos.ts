import { drawBack, drawFront } from '../demo/drawing.ts';
import type { DemoPhoto } from '../demo/photos.ts';
import { developPhoto } from '../demo/photos.ts';
import { FIXED_SHOPS } from './fixed.ts';
import { KNOWN, type Stock } from './stock.ts';

/** Longest that one photo's upload may take; it takes a tenth of a second. */
const UPLOAD_MS_MAX = 30_000;

/** Uploads the photos of the emulated stock as a shop's till would: through the Shop API. */
export async function uploadPhotos(url: string, { card }: Stock): Promise<void> {
  const subject = { card, isSlab: true };
  const unitId = KNOWN.unitWithPhotos;
  const photos: readonly DemoPhoto[] = [
    { unitId, side: 'front', svg: drawFront(subject) },
    { unitId, side: 'back', svg: drawBack(subject) },
    {
      unitId: KNOWN.unitReserved,
      side: 'front',
      svg: drawFront({ card, isSlab: false }),
    },
  ];
  await Promise.all(photos.map(async (photo) => await upload(url, photo)));
}

async function upload(url: string, photo: DemoPhoto): Promise<void> {
  const path = `/shop/v1/units/${photo.unitId}/photos/${photo.side}`;
  const response = await fetch(`${url}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${FIXED_SHOPS[0].shopKey}`, 'content-type': 'image/png' },
    body: new Uint8Array(await developPhoto(photo)),
    signal: AbortSignal.timeout(UPLOAD_MS_MAX),
  });
  if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
}
