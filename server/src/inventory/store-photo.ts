import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { newId } from '../base/secrets.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { PictureKind } from '../pictures/picture-kind.ts';
import type { PictureQueue } from '../pictures/picture-queue.ts';
import { PICTURE_SIZES, type PictureStore } from '../pictures/picture-store.ts';
import type { Picture, PictureRefusal } from '../pictures/re-encode.ts';
import {
  findUnitPhotos,
  isSamePhoto,
  type NewPhoto,
  putUnitPhoto,
  type PutPhotoResult,
} from './photo.ts';
import { noteUpload } from './stale-photo.ts';
import type { PhotoSide, UnitPhoto } from './unit-photo.ts';
import { findUnitText } from './unit-text.ts';

/** What storing photos needs. */
export interface PhotoStoring {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly pictures: PictureStore;
  /** Turns of the pictures that are decoded. */
  readonly queue: PictureQueue;
  /** How the face runs a transaction of a shop: in its turn, and refused by a fault of the face's own. */
  readonly write: <T>(shopId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;
}

/** A picture that was sent, whole, for a side of a unit. */
export interface SentPhoto {
  readonly shopId: string;
  readonly unitId: string;
  readonly side: PhotoSide;
  /** What its sender says it is; null when he says nothing. */
  readonly declared: PictureKind | null;
  readonly pieces: readonly Uint8Array[];
}

/** What became of it. `busy`: too many pictures wait to be decoded, and nothing was written. */
export type StorePhotoResult = PutPhotoResult | PictureRefusal | { readonly kind: 'busy' };

/**
 * Makes the picture anew, keeps its bytes, and gives it to the unit. No connection of the database is held meanwhile:
 * the upload is noted first, then its bytes are written, then the unit shows them; so that wherever it breaks off, what
 * was written is either shown or removed.
 *
 * @throws StoreUnavailable, and what `write` throws
 */
export async function storePhoto(
  storing: PhotoStoring,
  sent: SentPhoto,
): Promise<StorePhotoResult> {
  const { shopId, unitId, side } = sent;
  const decoded = await decode(storing, sent);
  if (decoded.kind !== 'picture') return decoded;
  const { picture } = decoded;
  const photos = await findUnitPhotos(storing.db, shopId, unitId);
  if (photos === undefined) return { kind: 'not_found' };
  const before = photos.find((photo) => photo.side === side);
  const same = before !== undefined && isSamePhoto(before, picture) ? before : undefined;
  const lostPictureId = same === undefined ? null : await findLost(storing, shopId, same);
  if (same !== undefined && lostPictureId === null) {
    const unitText = await findUnitText(storing.db, shopId, unitId);
    return unitText === undefined ? { kind: 'not_found' } : { kind: 'unchanged', unitText };
  }
  const photo = describe(side, picture);
  const { pictureId } = photo;
  await noteUpload(storing.db, shopId, pictureId, storing.clock.now());
  for (const size of PICTURE_SIZES) {
    const { bytes } = picture[size];
    await storing.pictures.write({ shopId, pictureId, size }, bytes, picture.contentType);
  }
  const now = storing.clock.now();
  return await storing.write(
    shopId,
    async (tx) => await putUnitPhoto(tx, shopId, unitId, photo, lostPictureId, now),
  );
}

type Decoded =
  | { readonly kind: 'picture'; readonly picture: Picture }
  | PictureRefusal
  | { readonly kind: 'busy' };

async function decode({ queue }: PhotoStoring, sent: SentPhoto): Promise<Decoded> {
  const turn = await queue.run(
    sent.shopId,
    // Put together in its turn only, so that no more than a few are in memory twice.
    async () => await queue.decoders.reEncode(Buffer.concat(sent.pieces), sent.declared),
  );
  return turn?.value ?? { kind: 'busy' };
}

/** The picture that the unit shows although its bytes are gone or cut (a store of another time than the database), or null. */
async function findLost(
  { pictures, log }: PhotoStoring,
  shopId: string,
  { pictureId, largeBytes, smallBytes }: UnitPhoto,
): Promise<string | null> {
  const bytes = { large: largeBytes, small: smallBytes };
  for (const size of PICTURE_SIZES) {
    if ((await pictures.lengthOf({ shopId, pictureId, size })) === bytes[size]) continue;
    log.warn({ shopId, pictureId, size }, 'a photo whose bytes were gone is replaced');
    return pictureId;
  }
  return null;
}

function describe(side: PhotoSide, { contentType, etag, large, small }: Picture): NewPhoto {
  return {
    side,
    contentType,
    width: large.width,
    height: large.height,
    etag,
    pictureId: newId(),
    largeBytes: large.bytes.length,
    smallBytes: small.bytes.length,
  };
}
