import { drawBack, drawFront } from '../demo/drawing.ts';
import type { DemoPhoto } from '../demo/photos.ts';
import { DecoderPool } from '../pictures/decoder-pool.ts';
import { FIXED_SHOPS } from './fixed.ts';
import { KNOWN, type Stock } from './stock.ts';

/** Longest that one photo's upload may take; it takes a tenth of a second. */
const UPLOAD_MS_MAX = 30_000;

/** A photo as a scanner made it. */
export interface TakenPhoto {
  readonly unitId: string;
  readonly side: string;
  /** A PNG. */
  readonly bytes: Buffer;
}

/** Draws the photos of the emulated stock: a slab from both sides, and the front of another unit. */
export async function drawPhotos({ card }: Stock): Promise<readonly TakenPhoto[]> {
  const slab = { card, isSlab: true };
  const unitId = KNOWN.unitWithPhotos;
  const photos: readonly DemoPhoto[] = [
    { unitId, side: 'front', svg: drawFront(slab) },
    { unitId, side: 'back', svg: drawBack(slab) },
    { unitId: KNOWN.unitReserved, side: 'front', svg: drawFront({ card, isSlab: false }) },
  ];
  const decoders = new DecoderPool();
  try {
    const taken: TakenPhoto[] = [];
    for (const photo of photos) taken.push({ ...photo, bytes: await decoders.drawJpeg(photo.svg) });
    return taken;
  } finally {
    decoders.close();
  }
}

/** Uploads photos as a shop's till would: through the Shop API of the service at `url`. */
export async function uploadPhotos(url: string, photos: readonly TakenPhoto[]): Promise<void> {
  await Promise.all(photos.map(async (photo) => await upload(url, photo)));
}

async function upload(url: string, { unitId, side, bytes }: TakenPhoto): Promise<void> {
  const path = `/shop/v1/units/${unitId}/photos/${side}`;
  const response = await fetch(`${url}${path}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${FIXED_SHOPS[0].shopKey}`, 'content-type': 'image/jpeg' },
    body: new Uint8Array(bytes),
    signal: AbortSignal.timeout(UPLOAD_MS_MAX),
  });
  if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
}
