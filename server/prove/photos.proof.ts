// Proves that photos are streamed: a thousand requests (300 by default) must neither increase the
// memory of the process nor leak descriptors, whether the photos are in a folder or in S3. The same
// number of clients that disconnect during the response must not leak anything either. Uploads are
// measured separately: a decoder must free the memory that it needs. `npm run prove` runs it and
// prints the figures.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openPhotoScene, type PhotoScene } from '../test/photo-scene.ts';
import { makeNoisyImage, makePlainImage } from '../test/images.ts';
import { startS3Server } from '../test/s3-server.ts';
import { openTestDatabase } from '../test/test-database.ts';
import { waitUntil } from '../test/wait-until.ts';
import { openImageStore } from '../src/images/open-image-store.ts';

const IS_FULL = process.env['PROVE_FULL'] === '1';
/** The number of measured requests, which follow the same number of warm-up requests. */
const REQUESTS = IS_FULL ? 1_000 : 300;
/** The number of concurrent requests. */
const READERS = 32;
/** The number of rounds after the warm-up, because leaked memory grows with each round. */
const ROUNDS = 2;
/**
 * The maximum growth of memory after the warm-up. The rounds together transfer about 2.5 GB, or 750
 * MB by default.
 */
const GROWTH_BYTES_MAX = 100_000_000;
const UPLOADS = IS_FULL ? 30 : 6;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

interface Memory {
  readonly rss: number;
  readonly external: number;
  readonly heapUsed: number;
  readonly descriptors: number;
}

function measure(): Memory {
  collect();
  const { rss, external, heapUsed } = process.memoryUsage();
  return { rss, external, heapUsed, descriptors: readdirSync('/proc/self/fd').length };
}

function show(name: string, { rss, external, heapUsed, descriptors }: Memory): string {
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  return `${name}: rss ${mb(rss)}, external ${mb(external)}, heap ${mb(heapUsed)}, ${descriptors} descriptors`;
}

/**
 * Reads a photo to its end, or disconnects at its first bytes. Returns the number of bytes
 * received.
 */
async function read(scene: PhotoScene, agent: Agent, disconnects: boolean): Promise<number> {
  const path = `/partner/v1/inventory/items/${scene.unitId}/photos/front`;
  const headers = { authorization: `Bearer ${scene.token}` };
  return await new Promise((resolve, reject) => {
    get(`http://127.0.0.1:${scene.node.port}${path}`, { agent, headers }, (response) => {
      let bytes = 0;
      assert.equal(response.statusCode, 200);
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (disconnects) response.destroy();
      });
      response.once('close', () => resolve(bytes));
    }).once('error', reject);
  });
}

async function readMany(scene: PhotoScene, disconnects: boolean): Promise<number> {
  const agent = new Agent({ keepAlive: !disconnects, maxSockets: READERS });
  let left = REQUESTS;
  let bytes = 0;
  const reader = async (): Promise<void> => {
    while (left-- > 0) {
      const came = await read(scene, agent, disconnects);
      bytes += came;
    }
  };
  await Promise.all(Array.from({ length: READERS }, reader));
  agent.destroy();
  await waitUntil(() => scene.store.openReads === 0);
  return bytes;
}

async function proveReads(scene: PhotoScene, tell: (line: string) => void): Promise<void> {
  const put = await scene.put(scene.unitId, 'front', await makeNoisyImage(1_600, 1_200, 'jpeg'));
  assert.equal(put.status, 201, put.text);
  await readMany(scene, false);
  await readMany(scene, true);
  const before = measure();
  tell(show('warm', before));
  for (let round = 1; round <= ROUNDS; round++) {
    const startMs = performance.now();
    const bytes = await readMany(scene, false);
    const rate = ((REQUESTS / (performance.now() - startMs)) * 1_000).toFixed(0);
    const size = (bytes / REQUESTS / 1e3).toFixed(0);
    await readMany(scene, true);
    const after = measure();
    const what = `${REQUESTS} of ${size} kB (${rate} a second) and ${REQUESTS} that disconnected`;
    tell(show(`round ${round}, ${what}`, after));
    assert.ok(after.rss - before.rss < GROWTH_BYTES_MAX, 'rss');
    assert.ok(after.external - before.external < GROWTH_BYTES_MAX, 'external');
    assert.ok(after.descriptors <= before.descriptors + READERS * 2, 'descriptors');
  }
}

async function proveUploads(scene: PhotoScene, tell: (line: string) => void): Promise<void> {
  const large = await makePlainImage(8_000, 6_000, 'jpeg');
  const upload = async (): Promise<void> => {
    const unitId = await scene.makeUnit();
    assert.equal((await scene.put(unitId, 'front', large)).status, 201);
  };
  await Promise.all(Array.from({ length: 8 }, upload));
  const before = measure();
  let most = 0;
  const looking = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 20);
  const startMs = performance.now();
  for (let done = 0; done < UPLOADS; done += 6) {
    await Promise.all(Array.from({ length: 6 }, upload));
  }
  const seconds = (performance.now() - startMs) / 1_000;
  clearInterval(looking);
  tell(show('before the uploads', before));
  tell(
    show(
      `after ${UPLOADS} of 48 megapixels, ${(UPLOADS / seconds).toFixed(1)} a second, at most ${(most / 1e6).toFixed(0)} MB`,
      measure(),
    ),
  );
  assert.ok(measure().rss - before.rss < 4 * GROWTH_BYTES_MAX);
}

describe(`${REQUESTS} requests for photos do not increase memory`, () => {
  it('photos from a folder do not increase memory, even during uploads', async (t) => {
    await using base = await openTestDatabase();
    await using scene = await openPhotoScene(base);
    const tell = (line: string): void => t.diagnostic(`folder: ${line}`);
    await proveReads(scene, tell);
    await proveUploads(scene, tell);
  });

  it('photos from S3 do not increase memory', async (t) => {
    await using base = await openTestDatabase();
    await using server = await startS3Server();
    const store = await openImageStore(server.settings);
    await using scene = await openPhotoScene(base, store);
    await proveReads(scene, (line) => t.diagnostic(`S3: ${line}`));
    await store.close();
  });
});
