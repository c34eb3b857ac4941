import type { Log } from '../base/log.ts';
import { newId } from '../base/secrets.ts';
import { ApiError, unavailable } from '../http/errors.ts';
import { findUnitPhotos, isSamePhoto, type NewPhoto, putUnitPhoto } from '../inventory/photo.ts';
import { noteUpload } from '../inventory/stale-photo.ts';
import type { PhotoSide, UnitPhoto } from '../inventory/unit-photo.ts';
import { findUnitText } from '../inventory/unit-row.ts';
import type { PictureKind } from '../pictures/picture-kind.ts';
import type { PictureQueue } from '../pictures/picture-queue.ts';
import { PICTURE_SIZES, type PictureStore } from '../pictures/picture-store.ts';
import { type Picture, type PictureRefusal, reEncode } from '../pictures/re-encode.ts';
import { type Face, notFound } from './face.ts';

/** What writing photos needs. */
export interface PhotoWriting extends Face {
  readonly pictures: PictureStore;
  readonly queue: PictureQueue;
  readonly log: Log;
}

/** A picture that a shop's system sent, whole, for a side of a unit. */
export interface SentPhoto {
  readonly shopId: string;
  readonly unitId: string;
  readonly side: PhotoSide;
  readonly declared: PictureKind | null;
  readonly pieces: readonly Uint8Array[];
}

/** What became of it, and the unit's JSON as it stands now. */
export interface WrittenPhoto {
  readonly kind: 'created' | 'replaced' | 'unchanged';
  readonly unitText: string;
}

/**
 * Makes the picture anew, keeps its bytes, and gives it to the unit. No connection of the database is held meanwhile:
 * the upload is noted first, then its bytes are written, then the unit shows them; so that wherever it breaks off, what
 * was written is either shown or removed.
 *
 * @throws ApiError 404, 415, 422, 503; StoreUnavailable
 */
export async function writePhoto(writing: PhotoWriting, sent: SentPhoto): Promise<WrittenPhoto> {
  const { shopId, unitId, side } = sent;
  const picture = await decode(writing, sent);
  const before = await findSide(writing, sent);
  const same = before !== undefined && isSamePhoto(before, picture) ? before : undefined;
  const lostPictureId = same === undefined ? null : await findLost(writing, shopId, same);
  if (same !== undefined && lostPictureId === null) {
    const unitText = await findUnitText(writing.db, shopId, unitId);
    if (unitText === undefined) throw notFound('unit');
    return { kind: 'unchanged', unitText };
  }
  const photo = describe(side, picture);
  const { pictureId } = photo;
  await noteUpload(writing.db, shopId, pictureId, writing.clock.now());
  for (const size of PICTURE_SIZES) {
    const { bytes } = picture[size];
    await writing.pictures.write({ shopId, pictureId, size }, bytes, picture.contentType);
  }
  const now = writing.clock.now();
  const result = await writing.write(
    shopId,
    async (tx) => await putUnitPhoto(tx, shopId, unitId, photo, lostPictureId, now),
  );
  if (result.kind === 'not_found') throw notFound('unit');
  if (result.kind === 'expired') throw unavailable({ detail: 'The upload took too long.' });
  return result;
}

async function decode({ queue }: PhotoWriting, sent: SentPhoto): Promise<Picture> {
  const turn = await queue.take(
    sent.shopId,
    // Put together in its turn only, so that no more than a few are in memory twice.
    async () => await reEncode(Buffer.concat(sent.pieces), sent.declared),
  );
  if (turn === undefined) throw unavailable({ detail: 'Too many pictures wait to be decoded.' });
  const result = turn.value;
  if (result.kind !== 'picture') throw refuse(result);
  return result.picture;
}

function refuse({ kind, detail }: PictureRefusal): ApiError {
  if (kind === 'unsupported') return new ApiError(415, 'unsupported_media_type', { detail });
  return new ApiError(422, 'invalid_request', { detail });
}

async function findSide(
  { db }: PhotoWriting,
  { shopId, unitId, side }: SentPhoto,
): Promise<UnitPhoto | undefined> {
  const photos = await findUnitPhotos(db, shopId, unitId);
  if (photos === undefined) throw notFound('unit');
  return photos.find((photo) => photo.side === side);
}

/** The picture that the unit shows although its bytes are gone or cut (a store of another time than the database), or null. */
async function findLost(
  { pictures, log }: PhotoWriting,
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
