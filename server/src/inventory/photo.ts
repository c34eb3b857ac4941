import { nextChangeInstant } from '../base/clock.ts';
import { lockCatalogShared } from '../catalog/catalog-lock.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { hotRead } from '../database/statement.ts';
import { confirmUpload, markPhotoStale } from './stale-photo.ts';
import { rerenderUnitRows } from './unit.ts';
import type { PhotoSide, UnitPhoto } from './unit-photo.ts';
import { lockUnits, type UnitRow } from './unit-row.ts';
import { findUnitText } from './unit-text.ts';

export const selectUnitPhotos = hotRead<{ readonly photos: readonly UnitPhoto[] }>(
  'select_unit_photos',
  `select photos from unit where shop_id = $1 and unit_id = $2`,
);

/** A photo that is already in the image store under `pictureId`. */
export type NewPhoto = Omit<UnitPhoto, 'updatedAt'>;

/** `unitText` is the unit in the format of the Shop API, including its cost. */
export type PutPhotoResult =
  | { readonly kind: 'created' | 'replaced' | 'unchanged'; readonly unitText: string }
  | { readonly kind: 'not_found' }
  /** The upload took so long that its bytes may already be deleted. It must be repeated. */
  | { readonly kind: 'expired' };

export async function findUnitPhotos(
  db: Queryable,
  shopId: string,
  unitId: string,
): Promise<readonly UnitPhoto[] | undefined> {
  return (await db.one(selectUnitPhotos, [shopId, unitId]))?.photos;
}

export async function findUnitPhoto(
  db: Queryable,
  shopId: string,
  unitId: string,
  side: PhotoSide,
): Promise<UnitPhoto | undefined> {
  const photos = await findUnitPhotos(db, shopId, unitId);
  return photos?.find((photo) => photo.side === side);
}

/**
 * The caller must have called `recordUpload` and written the bytes to the store. The replaced photo
 * becomes stale. If the image is the same, the new bytes become stale instead.
 *
 * @param missingPictureId the current image of this side if the image store has lost its bytes; it
 * is replaced even by the same image
 */
export async function putUnitPhoto(
  tx: Transaction,
  shopId: string,
  unitId: string,
  photo: NewPhoto,
  missingPictureId: string | null,
  now: Date,
): Promise<PutPhotoResult> {
  const row = await lockWithCatalog(tx, shopId, unitId);
  if (row === undefined) return { kind: 'not_found' };
  const before = row.photos.find((each) => each.side === photo.side);
  if (before !== undefined && before.pictureId !== missingPictureId && isSamePhoto(before, photo)) {
    await markPhotoStale(tx, shopId, photo.pictureId, now);
    return { kind: 'unchanged', unitText: await textOf(tx, shopId, unitId) };
  }
  const confirmed = await tx.count(confirmUpload, [shopId, photo.pictureId]);
  if (confirmed === 0) return { kind: 'expired' };
  if (before !== undefined) await markPhotoStale(tx, shopId, before.pictureId, now);
  const others = row.photos.filter((each) => each !== before);
  const updatedAt = nextChangeInstant(row.updatedAt, now).toISOString();
  await writePhotos(tx, shopId, row, [...others, { ...photo, updatedAt }], now);
  const kind = before === undefined ? 'created' : 'replaced';
  return { kind, unitText: await textOf(tx, shopId, unitId) };
}

export async function removeUnitPhoto(
  tx: Transaction,
  shopId: string,
  unitId: string,
  side: PhotoSide,
  now: Date,
): Promise<{ readonly kind: 'removed' | 'unchanged' | 'not_found' }> {
  const row = await lockWithCatalog(tx, shopId, unitId);
  if (row === undefined) return { kind: 'not_found' };
  const before = row.photos.find((each) => each.side === side);
  if (before === undefined) return { kind: 'unchanged' };
  await markPhotoStale(tx, shopId, before.pictureId, now);
  const others = row.photos.filter((each) => each !== before);
  await writePhotos(tx, shopId, row, others, now);
  return { kind: 'removed' };
}

/** Compares the etags, which are computed from the bytes of the large size. */
export function isSamePhoto(a: Omit<UnitPhoto, 'updatedAt'>, b: Pick<UnitPhoto, 'etag'>): boolean {
  return a.etag === b.etag;
}

async function lockWithCatalog(
  tx: Transaction,
  shopId: string,
  unitId: string,
): Promise<UnitRow | undefined> {
  // The unit is rendered again, so catalog entries must not change until the commit.
  await lockCatalogShared(tx);
  return (await lockUnits(tx, shopId, [unitId])).get(unitId);
}

async function writePhotos(
  tx: Transaction,
  shopId: string,
  row: UnitRow,
  photos: readonly UnitPhoto[],
  now: Date,
): Promise<void> {
  await rerenderUnitRows(tx, shopId, [{ ...row, photos }], now);
}

async function textOf(tx: Transaction, shopId: string, unitId: string): Promise<string> {
  const text = await findUnitText(tx, shopId, unitId);
  if (text === undefined) throw new Error('a locked unit no longer exists');
  return text;
}
