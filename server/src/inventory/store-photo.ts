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

/** Dependencies for storing photos. */
export interface PhotoStoring {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly pictures: PictureStore;
  /** Limits how many pictures are decoded at once. */
  readonly queue: PictureQueue;
  /** Runs a transaction for a shop, within the limits of the calling API and with its errors. */
  readonly write: <T>(shopId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;
}

/** A complete upload of a picture for one side of a unit. */
export interface SentPhoto {
  readonly shopId: string;
  readonly unitId: string;
  readonly side: PhotoSide;
  /** The kind that the client declared; null if none. */
  readonly declared: PictureKind | null;
  readonly pieces: readonly Uint8Array[];
}

/** Result of storing a photo. `busy`: too many pictures are waiting, and nothing was written. */
export type StorePhotoResult = PutPhotoResult | PictureRefusal | { readonly kind: 'busy' };

/**
 * Re-encodes the picture, stores its bytes and adds it to the unit. Holds no database connection
 * during the slow steps: it records the upload, writes the bytes, then shows them in the unit.
 * After a failure at any point, the bytes are either shown or deleted later.
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
    // Concatenated only once it is decoded, so that few pictures are in memory twice.
    async () => await queue.decoders.reEncode(Buffer.concat(sent.pieces), sent.declared),
  );
  return turn?.value ?? { kind: 'busy' };
}

/**
 * The id of a picture that the unit shows although its bytes are missing or incomplete (database
 * and store were restored to different times), or null.
 */
async function findLost(
  { pictures, log }: PhotoStoring,
  shopId: string,
  { pictureId, largeBytes, smallBytes }: UnitPhoto,
): Promise<string | null> {
  const bytes = { large: largeBytes, small: smallBytes };
  for (const size of PICTURE_SIZES) {
    if ((await pictures.lengthOf({ shopId, pictureId, size })) === bytes[size]) continue;
    log.warn({ shopId, pictureId, size }, 'replaced a photo whose image was missing');
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
