import { changeInstant } from '../base/clock.ts';
import { shareCatalog } from '../catalog/lock.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { hotRead } from '../database/statement.ts';
import { keepUpload, letGo } from './stale-photo.ts';
import { restampUnitRows } from './unit.ts';
import type { PhotoSide, UnitPhoto } from './unit-photo.ts';
import { lockUnits, type UnitRow } from './unit-row.ts';
import { findUnitText } from './unit-text.ts';

/** A unit's photos; undefined when the shop has no such unit. */
export const readUnitPhotos = hotRead<{ readonly photos: readonly UnitPhoto[] }>(
  'read_unit_photos',
  `select photos from unit where shop_id = $1 and unit_id = $2`,
);

/** What a new photo is, its bytes being in the store already under `pictureId`. */
export type NewPhoto = Omit<UnitPhoto, 'updatedAt'>;

/** `unitText` is the unit's JSON as the Shop API shows it, its cost included. */
export type PutPhotoResult =
  | { readonly kind: 'created' | 'replaced' | 'unchanged'; readonly unitText: string }
  | { readonly kind: 'not_found' }
  /** The upload took so long that its bytes may be gone already: it must be sent again. */
  | { readonly kind: 'expired' };

/** A unit's photos, or undefined when the shop has no such unit. */
export async function findUnitPhotos(
  db: Queryable,
  shopId: string,
  unitId: string,
): Promise<readonly UnitPhoto[] | undefined> {
  return (await db.one(readUnitPhotos, [shopId, unitId]))?.photos;
}

/** A unit's photo of one side; undefined when the shop has no such unit, or the side no photo. */
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
 * Gives a unit a photo whose upload was noted by `noteUpload` and whose bytes are in the store. The unit is stamped, and
 * what the photo replaces becomes stale. The same picture again stamps nothing, and its new bytes become stale.
 *
 * @param lostPictureId a picture of this side whose bytes are gone from the store: replaced even by the same one
 */
export async function putUnitPhoto(
  tx: Transaction,
  shopId: string,
  unitId: string,
  photo: NewPhoto,
  lostPictureId: string | null,
  now: Date,
): Promise<PutPhotoResult> {
  const row = await lockWithCatalog(tx, shopId, unitId);
  if (row === undefined) return { kind: 'not_found' };
  const before = row.photos.find((each) => each.side === photo.side);
  if (before !== undefined && before.pictureId !== lostPictureId && isSamePhoto(before, photo)) {
    await letGo(tx, shopId, photo.pictureId, now);
    return { kind: 'unchanged', unitText: await textOf(tx, shopId, unitId) };
  }
  if (!(await keepUpload(tx, shopId, photo.pictureId))) return { kind: 'expired' };
  if (before !== undefined) await letGo(tx, shopId, before.pictureId, now);
  const others = row.photos.filter((each) => each !== before);
  const at = changeInstant(row.updatedAt, now);
  await stampPhotos(tx, shopId, row, [...others, { ...photo, updatedAt: at.toISOString() }], at);
  const kind = before === undefined ? 'created' : 'replaced';
  return { kind, unitText: await textOf(tx, shopId, unitId) };
}

/** Takes a unit's photo of one side away and stamps the unit; `unchanged` when there is none. */
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
  await letGo(tx, shopId, before.pictureId, now);
  const others = row.photos.filter((each) => each !== before);
  await stampPhotos(tx, shopId, row, others, changeInstant(row.updatedAt, now));
  return { kind: 'removed' };
}

/** True when both are the same picture: what is stored of the large one is, byte by byte. */
export function isSamePhoto(a: Omit<UnitPhoto, 'updatedAt'>, b: Pick<UnitPhoto, 'etag'>): boolean {
  return a.etag === b.etag;
}

async function lockWithCatalog(
  tx: Transaction,
  shopId: string,
  unitId: string,
): Promise<UnitRow | undefined> {
  // Held to the commit: the unit is rendered again, and no catalog entry may change meanwhile.
  await shareCatalog(tx);
  return (await lockUnits(tx, shopId, [unitId])).get(unitId);
}

async function stampPhotos(
  tx: Transaction,
  shopId: string,
  row: UnitRow,
  photos: readonly UnitPhoto[],
  now: Date,
): Promise<void> {
  await restampUnitRows(tx, shopId, [{ ...row, photos, updatedAt: now }], now);
}

async function textOf(tx: Transaction, shopId: string, unitId: string): Promise<string> {
  const text = await findUnitText(tx, shopId, unitId);
  if (text === undefined) throw new Error('a unit that was locked is gone');
  return text;
}
