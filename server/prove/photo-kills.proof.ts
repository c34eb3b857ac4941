// Kills the service (-9) during uploads. Proves that the store then has the files of every photo
// that a unit shows, and, after cleanup, no other files.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { newId } from '../src/base/secrets.ts';
import { statement } from '../src/database/statement.ts';
import { removeStalePhotos } from '../src/inventory/stale-photo.ts';
import { putUnits } from '../src/inventory/unit.ts';
import type { UnitPhoto } from '../src/inventory/unit-photo.ts';
import { FolderStore } from '../src/images/folder-store.ts';
import { createShopKey } from '../src/shops/shop-key.ts';
import { makeNoisyImage } from '../test/images.ts';
import { TEST_SECRET_KEY } from '../test/service.ts';
import { seedStock, STOCK_MADE_AT } from '../test/stock.ts';
import { openTestDatabase, type TestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { startServiceProcess } from './service-process.ts';
import { OPERATOR } from '../src/shops/audit.ts';

const KILLS = process.env['PROVE_FULL'] === '1' ? 50 : 6;
const UNITS = 3;
const WRITERS = 6;
const PICTURES = 12;
/**
 * The service is killed at a random moment within this time, when some uploads are complete and
 * others are in progress.
 */
const KILL_WITHIN_MS = 700;
const UPLOAD_LIFE_MS = 2 * 3_600_000;

const selectShown = statement<{ readonly photos: readonly UnitPhoto[] }>(
  'prove_photo_kills_shown',
  `select photos from unit`,
);
const countStale = statement<{ readonly count: number }>(
  'prove_photo_kills_stale',
  `select count(*)::int as count from stale_photo`,
);

interface Scene {
  readonly base: TestDatabase;
  readonly folder: string;
  readonly key: string;
  readonly unitIds: readonly string[];
  readonly pictures: readonly Buffer[];
  acknowledged: number;
}

async function openScene(base: TestDatabase, folder: string): Promise<Scene> {
  const stock = await seedStock(base.db);
  const item = { kind: 'card' as const, cardId: stock.cardId };
  const units = Array.from({ length: UNITS }, () => ({ id: newId(), siteId: stock.siteId, item }));
  const key = await base.db.transaction(async (tx) => {
    await putUnits(tx, stock.shop, units, STOCK_MADE_AT);
    const made = await createShopKey(tx, stock.shop.id, 'till', STOCK_MADE_AT, OPERATOR);
    if (made.kind !== 'created') throw new Error(made.kind);
    return made.key;
  });
  const pictures = await Promise.all(
    Array.from(
      { length: PICTURES },
      async (_, index) => await makeNoisyImage(300 + index, 200, 'jpeg'),
    ),
  );
  return { base, folder, key, unitIds: units.map(({ id }) => id), pictures, acknowledged: 0 };
}

/** Uploads and removes photos until the service is killed. */
async function write(scene: Scene, url: string, signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${scene.key}`, 'content-type': 'image/jpeg' };
  while (!signal.aborted) {
    const unitId = scene.unitIds[randomInt(UNITS)] ?? '';
    const target = `${url}/shop/v1/units/${unitId}/photos/${randomInt(2) === 0 ? 'front' : 'back'}`;
    const body = scene.pictures[randomInt(PICTURES)] ?? Buffer.alloc(0);
    try {
      const isRemoval = randomInt(6) === 0;
      const answer = isRemoval
        ? await fetch(target, {
            method: 'DELETE',
            headers: { authorization: headers.authorization },
          })
        : await fetch(target, { method: 'PUT', headers, body });
      await answer.text();
      assert.ok(answer.ok, String(answer.status));
      scene.acknowledged += 1;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}

async function killOnce(scene: Scene): Promise<void> {
  const service = await startServiceProcess({
    DATABASE_URL: scene.base.url,
    SECRET_KEY: TEST_SECRET_KEY,
    PHOTO_STORE: scene.folder,
  });
  const ending = new AbortController();
  const before = scene.acknowledged;
  const writers = Array.from(
    { length: WRITERS },
    async () => await write(scene, service.url, ending.signal),
  );
  const killing = async (): Promise<void> => {
    await waitUntil(() => scene.acknowledged >= before + WRITERS);
    await new Promise((resolve) => setTimeout(resolve, randomInt(KILL_WITHIN_MS)));
    ending.abort();
    await service.kill();
  };
  await Promise.all([...writers, killing()]);
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .toSorted();
}

/** Returns the names of the files of the units' photos. */
async function shownFiles({ base }: Scene): Promise<string[]> {
  const rows = await base.db.query(selectShown);
  const ids = rows.flatMap(({ photos }) => photos.map(({ pictureId }) => pictureId));
  return ids.flatMap((id) => [`${id}-large`, `${id}-small`]).toSorted();
}

describe('kill -9 during uploads', () => {
  it(`a kill leaves no photo without its files, and no files without a photo (${KILLS} kills)`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'cardport-photo-kills-'));
    await using base = await openTestDatabase();
    const scene = await openScene(base, folder);
    let orphans = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      await killOnce(scene);
      const [files, shown] = [new Set(await filesOf(folder)), await shownFiles(scene)];
      for (const file of shown) assert.ok(files.has(file), `${file} is missing in the store`);
      orphans = files.size - shown.length;
    }
    const due = new Date(Date.now() + UPLOAD_LIFE_MS);
    const removed = await removeStalePhotos(base.db, new FolderStore(folder), due);
    assert.deepEqual(await filesOf(folder), await shownFiles(scene));
    assert.equal((await base.db.one(countStale))?.count, 0);
    t.diagnostic(
      `${scene.acknowledged} writes acknowledged, ${KILLS} kills; ${orphans} orphaned files before the cleanup, ${removed} pictures removed, none after`,
    );
    await rm(folder, { recursive: true, force: true });
  });
});
