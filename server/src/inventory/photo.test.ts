import assert from 'node:assert/strict';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT, type TestStock } from '../../test/stock.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { countAdvisoryWaits } from '../../test/waiting-locks.ts';
import { newId } from '../base/secrets.ts';
import { recordCatalogChanges } from '../catalog/catalog-change.ts';
import { lockCatalogExclusive } from '../catalog/catalog-lock.ts';
import { statement } from '../database/statement.ts';
import { FolderStore } from '../images/folder-store.ts';
import { IMAGE_SIZES, StoreUnavailable } from '../images/image-store.ts';
import { readHead } from './feed.ts';
import { findUnitPhotos, type NewPhoto, putUnitPhoto, removeUnitPhoto } from './photo.ts';
import { countStalePhotos, recordUpload, removeStalePhotos } from './stale-photo.ts';
import { putUnits } from './unit.ts';
import type { UnitPhoto } from './unit-photo.ts';
import { findUnitText } from './unit-text.ts';

const countStale = statement<{ readonly count: number }>(
  'test_count_stale_photos',
  `select count(*)::int as count from stale_photo`,
);

const renameCard = statement(
  'test_photo_rename_card',
  `update card set name = $2 where card_id = $1`,
);

/** An unused upload is deleted after an hour, a replaced image after a quarter of an hour. */
const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;

function after(ms: number): Date {
  return new Date(STOCK_MADE_AT.getTime() + ms);
}

interface Scene extends AsyncDisposable {
  readonly base: TestDatabase;
  readonly stock: TestStock;
  readonly unitId: string;
  readonly folder: string;
  readonly store: FolderStore;
  /**
   * Records an upload and writes its bytes, as the Shop API does before it adds the photo to a
   * unit.
   */
  upload(pictureId?: string): Promise<string>;
  /** Uploads a picture and adds it to the unit. By default its etag is its id. */
  put(etag?: string, now?: Date): Promise<{ readonly kind: string; readonly pictureId: string }>;
  files(): Promise<string[]>;
  stale(): Promise<number>;
}

function newPhoto(pictureId: string, etag: string): NewPhoto {
  const size = { contentType: 'image/jpeg', width: 4, height: 3, largeBytes: 5, smallBytes: 5 };
  return { side: 'front', ...size, etag, pictureId };
}

async function openScene(): Promise<Scene> {
  const base = await openTestDatabase();
  const { db } = base;
  const stock = await seedStock(db);
  const { shop, siteId, cardId } = stock;
  const unit = { id: newId(), siteId, item: { kind: 'card' as const, cardId } };
  await db.transaction(async (tx) => await putUnits(tx, shop, [unit], STOCK_MADE_AT));
  const folder = await mkdtemp(join(tmpdir(), 'cardport-photos-'));
  const store = new FolderStore(join(folder, 'photos'));
  const upload = async (pictureId: string = newId()): Promise<string> => {
    await recordUpload(db, shop.id, pictureId, STOCK_MADE_AT);
    for (const size of IMAGE_SIZES) {
      await store.write({ shopId: shop.id, pictureId, size }, Buffer.from('bytes'));
    }
    return pictureId;
  };
  return {
    base,
    stock,
    unitId: unit.id,
    folder,
    store,
    upload,
    put: async (etag, now = STOCK_MADE_AT) => {
      const pictureId = await upload();
      const photo = newPhoto(pictureId, etag ?? `"${pictureId}"`);
      const { kind } = await db.transaction(
        async (tx) => await putUnitPhoto(tx, shop.id, unit.id, photo, null, now),
      );
      return { kind, pictureId };
    },
    files: async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile());
      return files.map((entry) => entry.name.replace(/-(large|small)$/, '')).toSorted();
    },
    stale: async () => (await db.one(countStale))?.count ?? -1,
    [Symbol.asyncDispose]: async () => {
      await base.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

describe('photos of units', () => {
  it('photos give the unit a new position only when they change', async () => {
    await using scene = await openScene();
    const { db } = scene.base;
    const { shop } = scene.stock;
    const seq = async (): Promise<number> => (await readHead(db, shop.id)).seq;
    const start = await seq();
    assert.equal((await scene.put('"a"')).kind, 'created');
    assert.equal((await scene.put('"a"', after(1))).kind, 'unchanged');
    assert.equal(await seq(), start + 1);
    assert.equal((await scene.put('"b"', after(2))).kind, 'replaced');
    assert.equal(await seq(), start + 2);
    const removal = async (): Promise<string> =>
      (
        await db.transaction(
          async (tx) => await removeUnitPhoto(tx, shop.id, scene.unitId, 'front', after(3)),
        )
      ).kind;
    assert.equal(await removal(), 'removed');
    assert.equal(await removal(), 'unchanged');
    assert.equal(await seq(), start + 3);
    const text = (await findUnitText(db, shop.id, scene.unitId)) ?? '';
    assert.match(text, /"photos":\[\]/);
    assert.ok(text.includes(`"updatedAt":"${after(3).toISOString()}"`), text);
  });

  it('a photo is written after a concurrent catalog change, and shown with the changed card', async () => {
    await using scene = await openScene();
    const { db } = scene.base;
    const { shop, cardId } = scene.stock;
    const photo = newPhoto(await scene.upload(), '"a"');
    const changed = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const changing = db.transaction(async (tx) => {
      await lockCatalogExclusive(tx);
      await tx.query(renameCard, [cardId, '黒曜竜']);
      await recordCatalogChanges(tx, 'card', [cardId]);
      changed.resolve();
      await commit.promise;
    });
    await changed.promise;
    const putting = db.transaction(
      async (tx) => await putUnitPhoto(tx, shop.id, scene.unitId, photo, null, after(1)),
    );
    try {
      await waitUntil(async () => (await countAdvisoryWaits(db)) === 1);
    } finally {
      commit.resolve();
      await changing;
    }
    const put = await putting;
    assert.ok('unitText' in put && put.unitText.includes('黒曜竜'), JSON.stringify(put));
  });

  it('photos of an unknown unit are refused, and the upload stays recorded for deletion', async () => {
    await using scene = await openScene();
    const { db } = scene.base;
    const photo = newPhoto(await scene.upload(), '"a"');
    for (const [shopId, unitId] of [
      [scene.stock.shop.id, newId()],
      [newId(), scene.unitId],
    ] as const) {
      const result = await db.transaction(
        async (tx) => await putUnitPhoto(tx, shopId, unitId, photo, null, STOCK_MADE_AT),
      );
      assert.equal(result.kind, 'not_found');
      assert.equal(await findUnitPhotos(db, shopId, unitId), undefined);
    }
    assert.equal(await scene.stale(), 1);
  });

  it('the same image replaces a photo whose bytes are missing', async () => {
    await using scene = await openScene();
    const { shop } = scene.stock;
    const lost = await scene.put('"a"');
    const photo = newPhoto(await scene.upload(), '"a"');
    const result = await scene.base.db.transaction(
      async (tx) =>
        await putUnitPhoto(tx, shop.id, scene.unitId, photo, lost.pictureId, STOCK_MADE_AT),
    );
    assert.equal(result.kind, 'replaced');
    const photos: readonly UnitPhoto[] =
      (await findUnitPhotos(scene.base.db, shop.id, scene.unitId)) ?? [];
    assert.deepEqual(
      photos.map(({ pictureId }) => pictureId),
      [photo.pictureId],
    );
  });
});

describe('the bytes of images that no unit shows', () => {
  it('bytes are removed an hour after an interrupted upload', async () => {
    await using scene = await openScene();
    const { base, store } = scene;
    const shown = await scene.put();
    const crashed = await scene.upload();
    // This upload failed while its first image was being written.
    const half = newId();
    await recordUpload(base.db, scene.stock.shop.id, half, STOCK_MADE_AT);
    const files = [shown.pictureId, shown.pictureId, crashed, crashed].toSorted();
    assert.equal(await removeStalePhotos(base.db, store, after(HOUR_MS - 1)), 0);
    assert.equal(await countStalePhotos(base.db, after(HOUR_MS - 1)), 0);
    assert.equal(await countStalePhotos(base.db, after(HOUR_MS)), 2);
    assert.deepEqual(await scene.files(), files);
    assert.equal(await removeStalePhotos(base.db, store, after(HOUR_MS)), 2);
    assert.equal(await countStalePhotos(base.db, after(HOUR_MS)), 0);
    assert.deepEqual(await scene.files(), [shown.pictureId, shown.pictureId]);
    assert.equal(await scene.stale(), 0);
  });

  it('bytes are removed 15 minutes after their image was replaced, removed or found to be a duplicate', async () => {
    await using scene = await openScene();
    const { base, store } = scene;
    await scene.put('"a"');
    await scene.put('"a"');
    const last = await scene.put('"b"');
    assert.equal(await removeStalePhotos(base.db, store, after(QUARTER_MS - 1)), 0);
    assert.equal((await scene.files()).length, 6);
    assert.equal(await removeStalePhotos(base.db, store, after(QUARTER_MS)), 2);
    assert.deepEqual(await scene.files(), [last.pictureId, last.pictureId]);
    assert.equal(await scene.stale(), 0);
  });

  it('bytes that were removed cannot be added to a unit', async () => {
    await using scene = await openScene();
    const { base, store, stock } = scene;
    const photo = newPhoto(await scene.upload(), '"a"');
    await removeStalePhotos(base.db, store, after(HOUR_MS));
    const late = await base.db.transaction(
      async (tx) =>
        await putUnitPhoto(tx, stock.shop.id, scene.unitId, photo, null, after(HOUR_MS)),
    );
    assert.equal(late.kind, 'expired');
    assert.deepEqual(await findUnitPhotos(base.db, stock.shop.id, scene.unitId), []);
  });

  it('bytes cannot be added to a unit after an interrupted removal', async () => {
    await using scene = await openScene();
    const { base, store, stock, folder } = scene;
    const photo = newPhoto(await scene.upload(), '"a"');
    await rename(join(folder, 'photos'), join(folder, 'away'));
    await writeFile(join(folder, 'photos'), '');
    await assert.rejects(removeStalePhotos(base.db, store, after(HOUR_MS)), StoreUnavailable);
    assert.ok((await countStalePhotos(base.db, after(HOUR_MS))) > 0, 'tried in vain, due later');
    const late = await base.db.transaction(
      async (tx) =>
        await putUnitPhoto(tx, stock.shop.id, scene.unitId, photo, null, after(HOUR_MS)),
    );
    assert.equal(late.kind, 'expired');
    assert.deepEqual(await findUnitPhotos(base.db, stock.shop.id, scene.unitId), []);
    assert.equal(await scene.stale(), 1, 'the next removal finds it');
  });

  it('several nodes remove bytes at the same time, each image by one node', async () => {
    await using scene = await openScene();
    const { base, store } = scene;
    for (let count = 0; count < 20; count++) await scene.upload();
    const removed = await Promise.all(
      Array.from(
        { length: 4 },
        async () => await removeStalePhotos(base.db, store, after(HOUR_MS)),
      ),
    );
    assert.equal(
      removed.reduce((sum, each) => sum + each, 0),
      20,
    );
    assert.deepEqual([await scene.files(), await scene.stale()], [[], 0]);
  });

  it('removals are retried with increasing delays during an outage of the store', async () => {
    await using scene = await openScene();
    const { base, store, folder } = scene;
    await scene.upload();
    await rm(join(folder, 'photos'), { recursive: true });
    await writeFile(join(folder, 'photos'), '');
    await assert.rejects(removeStalePhotos(base.db, store, after(HOUR_MS)), StoreUnavailable);
    assert.equal(await scene.stale(), 1);
    const retryMs = 300_000;
    assert.equal(await removeStalePhotos(base.db, store, after(HOUR_MS + retryMs - 1)), 0);
    await assert.rejects(
      removeStalePhotos(base.db, store, after(HOUR_MS + retryMs)),
      StoreUnavailable,
    );
    await rm(join(folder, 'photos'));
    assert.equal(await removeStalePhotos(base.db, store, after(HOUR_MS + 3 * retryMs - 1)), 0);
    assert.equal(await removeStalePhotos(base.db, store, after(HOUR_MS + 3 * retryMs)), 1);
    assert.equal(await scene.stale(), 0);
  });
});
