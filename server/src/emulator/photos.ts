import { drawBack, drawFront } from '../demo/drawing.ts';
import { type DemoPhoto, uploadPhoto } from '../demo/photos.ts';
import { DecoderPool } from '../pictures/decoder-pool.ts';
import { FIXED_SHOPS } from './fixed.ts';
import { KNOWN, type Stock } from './stock.ts';

type TakenPhoto = Pick<DemoPhoto, 'unitId' | 'side'> & { readonly jpeg: Buffer };

/** Draws the photos of the emulated stock: both sides of a slab, and the front of another unit. */
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
    for (const photo of photos) taken.push({ ...photo, jpeg: await decoders.drawJpeg(photo.svg) });
    return taken;
  } finally {
    decoders.close();
  }
}

export async function uploadPhotos(url: string, photos: readonly TakenPhoto[]): Promise<void> {
  const { shopKey } = FIXED_SHOPS[0];
  await Promise.all(
    photos.map(async (photo) => await uploadPhoto({ url, shopKey }, photo, photo.jpeg)),
  );
}
