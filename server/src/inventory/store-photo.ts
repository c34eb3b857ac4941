import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { newId } from '../base/secrets.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { ImageFormat } from '../images/image-format.ts';
import type { DecodeQueue } from '../images/decode-queue.ts';
import { IMAGE_SIZES, type ImageStore } from '../images/image-store.ts';
import type { EncodedImage, ImageRefusal } from '../images/re-encode.ts';
import {
  findUnitPhotos,
  isSamePhoto,
  type NewPhoto,
  putUnitPhoto,
  type PutPhotoResult,
} from './photo.ts';
import { recordUpload } from './stale-photo.ts';
import type { PhotoSide, UnitPhoto } from './unit-photo.ts';
import { findUnitText } from './unit-text.ts';

export interface StorePhotoDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly images: ImageStore;
  readonly queue: DecodeQueue;
  /** Runs a transaction for a shop, with the limits and the errors of the calling API. */
  readonly write: <T>(shopId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;
}

export interface PhotoUpload {
  readonly shopId: string;
  readonly unitId: string;
  readonly side: PhotoSide;
  /** The image format that the client declared, or null. */
  readonly declared: ImageFormat | null;
  readonly pieces: readonly Uint8Array[];
}

/** The kind is `busy` if too many images are waiting; in that case nothing was written. */
export type StorePhotoResult = PutPhotoResult | ImageRefusal | { readonly kind: 'busy' };

/**
 * Records the upload, writes the bytes, then adds the photo to the unit. After a failure at any
 * point, the bytes are either shown or deleted later. The slow steps hold no database connection.
 *
 * @throws StoreUnavailable, and what `write` throws
 */
export async function storePhoto(
  deps: StorePhotoDeps,
  upload: PhotoUpload,
): Promise<StorePhotoResult> {
  const { shopId, unitId, side } = upload;
  const decoded = await decode(deps, upload);
  if (decoded.kind !== 'picture') return decoded;
  const { picture } = decoded;
  const photos = await findUnitPhotos(deps.db, shopId, unitId);
  if (photos === undefined) return { kind: 'not_found' };
  const before = photos.find((photo) => photo.side === side);
  const same = before !== undefined && isSamePhoto(before, picture) ? before : undefined;
  const missingPictureId = same === undefined ? null : await findMissingPicture(deps, shopId, same);
  if (same !== undefined && missingPictureId === null) {
    const unitText = await findUnitText(deps.db, shopId, unitId);
    return unitText === undefined ? { kind: 'not_found' } : { kind: 'unchanged', unitText };
  }
  const photo = toNewPhoto(side, picture);
  const { pictureId } = photo;
  await recordUpload(deps.db, shopId, pictureId, deps.clock.now());
  for (const size of IMAGE_SIZES) {
    const { bytes } = picture[size];
    await deps.images.write({ shopId, pictureId, size }, bytes, picture.contentType);
  }
  const now = deps.clock.now();
  return await deps.write(
    shopId,
    async (tx) => await putUnitPhoto(tx, shopId, unitId, photo, missingPictureId, now),
  );
}

type Decoded =
  | { readonly kind: 'picture'; readonly picture: EncodedImage }
  | ImageRefusal
  | { readonly kind: 'busy' };

async function decode({ queue }: StorePhotoDeps, upload: PhotoUpload): Promise<Decoded> {
  const outcome = await queue.run(
    [upload.shopId],
    // Concatenate the pieces only when the decoder is free, so that few images are in memory twice.
    async () => await queue.decoders.reEncode(Buffer.concat(upload.pieces), upload.declared),
  );
  return outcome?.value ?? { kind: 'busy' };
}

/** Bytes are missing if the database and the image store were restored from different backups. */
async function findMissingPicture(
  { images, log }: StorePhotoDeps,
  shopId: string,
  { pictureId, largeBytes, smallBytes }: UnitPhoto,
): Promise<string | null> {
  const bytes = { large: largeBytes, small: smallBytes };
  for (const size of IMAGE_SIZES) {
    if ((await images.lengthOf({ shopId, pictureId, size })) === bytes[size]) continue;
    log.warn({ shopId, pictureId, size }, 'replaced a photo whose image was missing');
    return pictureId;
  }
  return null;
}

function toNewPhoto(side: PhotoSide, { contentType, etag, large, small }: EncodedImage): NewPhoto {
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
