import { drawBack, drawFront } from '../demo/drawing.ts';
import { type DemoPhoto, uploadPhoto } from '../demo/photos.ts';
import { DecoderPool } from '../images/decoder-pool.ts';
import { FIXED_SHOPS } from './credentials.ts';
import { KNOWN_IDS, type Stock } from './stock.ts';

type RenderedPhoto = Pick<DemoPhoto, 'unitId' | 'side'> & { readonly jpeg: Buffer };

/** Draws both sides of a slab, and the front of another unit. */
export async function drawPhotos({ card }: Stock): Promise<readonly RenderedPhoto[]> {
  const slab = { card, isSlab: true };
  const unitId = KNOWN_IDS.unitWithPhotos;
  const photos: readonly DemoPhoto[] = [
    { unitId, side: 'front', svg: drawFront(slab) },
    { unitId, side: 'back', svg: drawBack(slab) },
    { unitId: KNOWN_IDS.unitReserved, side: 'front', svg: drawFront({ card, isSlab: false }) },
  ];
  const decoders = new DecoderPool();
  try {
    const rendered: RenderedPhoto[] = [];
    for (const photo of photos) {
      rendered.push({ ...photo, jpeg: await decoders.drawJpeg(photo.svg) });
    }
    return rendered;
  } finally {
    decoders.close();
  }
}

export async function uploadPhotos(url: string, photos: readonly RenderedPhoto[]): Promise<void> {
  const { shopKey } = FIXED_SHOPS[0];
  await Promise.all(
    photos.map(async (photo) => await uploadPhoto({ url, shopKey }, photo, photo.jpeg)),
  );
}
