import type { Database, Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import {
  type ImageKey,
  IMAGE_SIZES,
  type ImageStore,
  StoreUnavailable,
} from '../images/image-store.ts';

/** An uploaded image that no unit shows after this time is deleted. Every request ends sooner. */
const UPLOAD_EXPIRY_MS = 3_600_000;
/**
 * A replaced or removed image stays stored for this long, for clients that have just read its URL
 * or are still downloading it.
 */
const RETENTION_MS = 900_000;
/** An unfinished removal is retried after this delay. Each further retry waits this much longer. */
const RETRY_MS = 300_000;
/** The delay stops growing after this many steps, at one hour. */
const RETRY_STEPS_MAX = 11;
/** A batch must end well before `RETRY_MS`. Each image has two objects in the store. */
const BATCH_PICTURES = 100;
/** The maximum number of batches in one run. The next run continues. */
const BATCHES_MAX = 100;
const CONCURRENCY = 4;

interface StalePhoto {
  readonly shopId: string;
  readonly pictureId: string;
}

export const insertUpload = statement(
  'insert_upload',
  `insert into stale_photo (shop_id, picture_id, due_at) values ($1, $2, $3)`,
);

// A row with `attempts = 0` belongs to an image with no attempt at its deletion yet. If this deletes
// no row, the image may already be deleted.
export const confirmUpload = statement(
  'keep_upload',
  `delete from stale_photo where shop_id = $1 and picture_id = $2 and attempts = 0`,
);

export const upsertStalePhoto = statement(
  'let_photo_go',
  `insert into stale_photo (shop_id, picture_id, due_at) values ($1, $2, $3)
  on conflict (shop_id, picture_id) do update
    set due_at = least(stale_photo.due_at, excluded.due_at)`,
);

// A separate statement claims the rows, so that no lock is held while the store is called.
// Concurrent runs skip the claimed rows, which are no longer due.
export const claimStalePhotos = statement<StalePhoto>(
  'claim_stale_photos',
  `with due as materialized (
    select shop_id, picture_id from stale_photo where due_at <= $1
    order by due_at limit $4 for update skip locked
  )
  update stale_photo s set attempts = s.attempts + 1,
    due_at = $1::timestamptz + (least(s.attempts, $2::int) + 1) * $3::int * interval '1 millisecond'
  from due
  where (s.shop_id, s.picture_id) = (due.shop_id, due.picture_id)
  returning s.shop_id as "shopId", s.picture_id as "pictureId"`,
);

export const deleteStalePhotos = statement(
  'forget_stale_photos',
  `delete from stale_photo where (shop_id, picture_id) in (
    select * from unnest($1::uuid[], $2::uuid[])
  )`,
);

/** The count stops at this number, so that the query takes only a few milliseconds. */
const COUNT_MAX = 100_000;

export const countStaleRows = statement<{ readonly count: number }>(
  'count_stale_photos',
  `select count(*)::int as count from (
    select 1 from stale_photo where due_at <= $1 or attempts > 0 limit $2
  ) as late`,
);

/** Counts the images that are due and those that could not be removed, up to `COUNT_MAX`. */
export async function countStalePhotos(db: Queryable, now: Date): Promise<number> {
  return (await db.one(countStaleRows, [now, COUNT_MAX]))?.count ?? 0;
}

/** Call this before writing the bytes, so that they are deleted if no unit ever shows the image. */
export async function recordUpload(
  db: Queryable,
  shopId: string,
  pictureId: string,
  now: Date,
): Promise<void> {
  const dueAt = new Date(now.getTime() + UPLOAD_EXPIRY_MS);
  await db.query(insertUpload, [shopId, pictureId, dueAt]);
}

export async function markPhotoStale(
  db: Queryable,
  shopId: string,
  pictureId: string,
  now: Date,
): Promise<void> {
  await db.query(upsertStalePhoto, [shopId, pictureId, new Date(now.getTime() + RETENTION_MS)]);
}

/**
 * Several nodes may run this concurrently: each image is claimed by one node, and retried by any
 * node if that node did not finish. Deleting an image twice is harmless.
 *
 * @throws StoreUnavailable, which ends the run
 */
export async function removeStalePhotos(
  db: Database,
  store: ImageStore,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  let total = 0;
  for (let batch = 0; batch < BATCHES_MAX && signal?.aborted !== true; batch++) {
    const claimed = await db.query(claimStalePhotos, [
      now,
      RETRY_STEPS_MAX,
      RETRY_MS,
      BATCH_PICTURES,
    ]);
    const { removed, fault } = await removeAll(store, claimed);
    await db.query(deleteStalePhotos, [
      removed.map((photo) => photo.shopId),
      removed.map((photo) => photo.pictureId),
    ]);
    total += removed.length;
    if (fault !== null) throw fault;
    if (claimed.length < BATCH_PICTURES) break;
  }
  return total;
}

interface Removal {
  readonly removed: readonly StalePhoto[];
  /** The last error from the store. Images that were not removed are retried later. */
  readonly fault: StoreUnavailable | null;
}

async function removeAll(store: ImageStore, photos: readonly StalePhoto[]): Promise<Removal> {
  const waiting = [...photos];
  const removed: StalePhoto[] = [];
  let fault: StoreUnavailable | null = null;
  const work = async (): Promise<void> => {
    for (let photo = waiting.pop(); photo !== undefined && fault === null; photo = waiting.pop()) {
      try {
        for (const size of IMAGE_SIZES) await store.remove(keyOf(photo, size));
        removed.push(photo);
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error;
        fault = error;
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return { removed, fault };
}

function keyOf({ shopId, pictureId }: StalePhoto, size: ImageKey['size']): ImageKey {
  return { shopId, pictureId, size };
}
