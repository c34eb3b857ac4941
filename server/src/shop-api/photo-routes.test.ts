import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { openPhotoScene, type PhotoScene } from '../../test/photo-scene.ts';
import {
  makePngClaimingSize,
  makeCorneredPng,
  makeNoisyImage,
  makeCameraJpeg,
  makePlainImage,
  METADATA_WORDS,
} from '../../test/images.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { newId } from '../base/secrets.ts';
import { readHead } from '../inventory/feed.ts';
import { removeStalePhotos } from '../inventory/stale-photo.ts';
import type { ShownPhoto } from '../inventory/unit-photo.ts';
import { FolderStore } from '../images/folder-store.ts';
import { IMAGE_BYTES_MAX } from '../images/re-encode.ts';

interface Shown {
  readonly id: string;
  readonly photos: readonly ShownPhoto[];
  readonly updatedAt: string;
}

function unitOf(text: string): Shown {
  const unit: Shown = JSON.parse(text);
  return unit;
}

describe('PUT, GET and DELETE /units/{id}/photos/{side}', () => {
  let base: TestDatabase;
  let stage: PhotoScene;
  before(async () => {
    base = await openTestDatabase();
    stage = await openPhotoScene(base);
  });
  after(async () => {
    await stage[Symbol.asyncDispose]();
    await base.close();
  });

  async function head(): Promise<number> {
    return (await readHead(base.db, stage.party.shop.id)).seq;
  }

  async function remove(unitId: string, side: string, key = stage.key): Promise<number> {
    return (await stage.shopApi.call('DELETE', `/units/${unitId}/photos/${side}`, { key })).status;
  }

  /** Returns a unit's records in the feed after a position. */
  async function changesSince(unitId: string, seq: number): Promise<Shown[]> {
    const cursor = stage.node.cursors.encode(stage.party.shop.id, { epoch: 1, seq });
    const path = `/inventory/changes?cursor=${cursor}`;
    const { text } = await stage.node.call('GET', path, { token: stage.token });
    const page: { readonly changes: readonly { readonly id: string; readonly data: Shown }[] } =
      JSON.parse(text);
    return page.changes.filter(({ id }) => id === unitId).map(({ data }) => data);
  }

  it('the unit lists its photos with exactly their members, front before back, and once in the feed', async () => {
    const unitId = await stage.makeUnit();
    const from = await head();
    const sent = await makeCameraJpeg(await makeCorneredPng(), 6);
    const back = await stage.put(unitId, 'back', sent);
    assert.equal(back.status, 201, back.text);
    stage.shopApi.clock.advance(1_000);
    const front = await stage.put(
      unitId,
      'front',
      await makePlainImage(2_000, 1_000, 'webp'),
      'image/webp',
    );
    assert.equal(front.status, 201, front.text);
    const unit = unitOf(front.text);
    const members = ['side', 'contentType', 'width', 'height', 'etag', 'updatedAt'];
    for (const photo of unit.photos) assert.deepEqual(Object.keys(photo), members);
    assert.deepEqual(
      unit.photos.map(({ side, contentType, width, height }) => [side, contentType, width, height]),
      [
        ['front', 'image/jpeg', 1_600, 800],
        ['back', 'image/jpeg', 400, 300],
      ],
    );
    assert.equal(unit.photos[0]?.updatedAt, stage.shopApi.clock.now().toISOString());
    assert.equal(unit.updatedAt, stage.shopApi.clock.now().toISOString());
    assert.equal(await head(), from + 2);
    const [record, ...others] = await changesSince(unitId, from);
    assert.deepEqual([record?.photos, others], [unit.photos, []]);
    const shown = await stage.shopApi.call('GET', `/units/${unitId}`, { key: stage.key });
    assert.equal(shown.text, front.text);
    for (const name of await stage.files()) assert.match(name, /^[0-9a-f-]{36}-(large|small)$/);
    const served = await stage.get(`${unitId}/photos/back`);
    assert.equal(served.headers.get('etag'), unit.photos[1]?.etag);
    const bytes = Buffer.from(await served.arrayBuffer());
    for (const trace of METADATA_WORDS) assert.equal(bytes.includes(trace), false, trace);
  });

  it('PUT changes nothing for the same image, and replaces a photo by a different image', async () => {
    const unitId = await stage.makeUnit();
    const [picture, other] = [await makeCorneredPng(), await makePlainImage(300, 200, 'png')];
    const first = await stage.put(unitId, 'front', picture, 'image/png');
    const [seq, files] = [await head(), await stage.files()];
    stage.shopApi.clock.advance(1_000);
    const again = await stage.put(unitId, 'front', picture, 'image/png');
    assert.deepEqual([again.status, again.text], [200, first.text]);
    assert.deepEqual([await head(), await stage.files()], [seq, files]);
    const replaced = await stage.put(unitId, 'front', other, 'image/png');
    assert.equal(replaced.status, 200);
    assert.equal(await head(), seq + 1);
    const [[before], [now]] = [unitOf(first.text).photos, unitOf(replaced.text).photos].map(
      (each) => [...each],
    ) as [ShownPhoto[], ShownPhoto[]];
    assert.notEqual(now?.etag, before?.etag);
    assert.notEqual(now?.updatedAt, before?.updatedAt);
  });

  it('photos remain after every other write of the unit', async () => {
    const unitId = await stage.makeUnit();
    const put = await stage.put(unitId, 'front', await makeCorneredPng(), 'image/png');
    const { photos } = unitOf(put.text);
    const { key } = stage;
    const path = `/units/${unitId}`;
    const changed = await stage.shopApi.call('PUT', path, { key, body: { priceMinor: 7 } });
    assert.deepEqual(unitOf(changed.text).photos, photos);
    const line = JSON.stringify({ id: unitId, priceMinor: 8 });
    const headers = { 'content-type': 'application/x-ndjson' };
    await stage.shopApi.call('POST', '/units/batch', { key, body: line, headers });
    const moved = await stage.shopApi.call('POST', `${path}/status`, {
      key,
      body: { status: 'sold' },
    });
    assert.deepEqual(unitOf(moved.text).photos, photos);
    const refused = await stage.shopApi.call('PUT', path, { key, body: { photos: [] } });
    assert.equal(refused.status, 400);
    const served = await stage.get(`${unitId}/photos/front`);
    assert.equal(served.headers.get('etag'), photos[0]?.etag);
  });

  it('DELETE removes a photo, and returns 204 even if there is no photo', async () => {
    const unitId = await stage.makeUnit();
    await stage.put(unitId, 'front', await makeCorneredPng(), 'image/png');
    const seq = await head();
    assert.equal(await remove(unitId, 'back'), 204);
    assert.equal(await head(), seq);
    assert.equal(await remove(unitId.toUpperCase(), 'front'), 204);
    assert.equal(await head(), seq + 1);
    assert.deepEqual((await changesSince(unitId, seq))[0]?.photos, []);
    assert.equal((await stage.get(`${unitId}/photos/front`)).status, 404);
    assert.equal(await remove(unitId, 'front'), 204);
    assert.equal(await head(), seq + 1);
  });

  it('GET returns a photo as the Partner API does: bytes, validators, 304, HEAD, size', async () => {
    const unitId = await stage.makeUnit();
    const put = await stage.put(unitId, 'front', await makeCorneredPng(), 'image/png');
    const etag = unitOf(put.text).photos[0]?.etag ?? '';
    const get = async (
      query = '',
      headers: Readonly<Record<string, string>> = {},
      method = 'GET',
    ): Promise<Response> => {
      const url = `http://127.0.0.1:${stage.shopApi.port}/shop/v1/units/${unitId}/photos/front${query}`;
      return await fetch(url, {
        method,
        headers: { authorization: `Bearer ${stage.key}`, ...headers },
      });
    };
    const names = ['content-type', 'content-length', 'etag', 'last-modified', 'cache-control'];
    const told = ({ headers }: Response): unknown[] => names.map((name) => headers.get(name));
    for (const query of ['', '?size=large', '?size=small']) {
      const [shown, partners] = [
        await get(query),
        await stage.get(`${unitId}/photos/front${query}`),
      ];
      assert.equal(shown.status, 200);
      assert.deepEqual(told(shown), told(partners));
      assert.deepEqual(await shown.arrayBuffer(), await partners.arrayBuffer());
      const head = await get(query, {}, 'HEAD');
      assert.deepEqual([head.status, told(head)], [200, told(partners)]);
      assert.equal((await head.arrayBuffer()).byteLength, 0);
      const known = await get(query, { 'if-none-match': etag });
      assert.deepEqual([known.status, await known.text()], [304, '']);
      assert.equal(known.headers.get('etag'), etag);
    }
    const huge = await get('?size=huge');
    assert.equal(huge.status, 400);
    assert.match(await huge.text(), /"invalid_request","detail":".*large or small/);
    await waitUntil(() => stage.store.openReads === 0);
  });

  it('the OpenAPI document describes the photo routes, with the bodies and the 422 of PUT', async () => {
    const url = `http://127.0.0.1:${stage.shopApi.port}/openapi/shop-v1.json`;
    const described: {
      readonly paths: Readonly<Record<string, Readonly<Record<'get' | 'put' | 'delete', object>>>>;
    } = JSON.parse(await (await fetch(url)).text());
    const { get, put } = described.paths['/units/{id}/photos/{side}'] ?? {};
    const [shown, sent] = [JSON.stringify(get), JSON.stringify(put)];
    assert.match(sent, /"image\/webp":\{\},"application\/octet-stream":\{\}/);
    assert.match(sent, /"422":\{"description":"The image is empty, damaged/);
    assert.match(shown, /"name":"size".*"If-None-Match".*"If-Modified-Since"/);
    assert.match(shown, /"200":.*"ETag".*"image\/jpeg":\{\},"image\/webp":\{\}.*"304":/);
  });

  it('GET returns 404 for a missing photo or another shop’s photo', async () => {
    const unitId = await stage.makeUnit();
    const ask = async (path: string, key = stage.key): Promise<unknown[]> => {
      const { status, text, headers } = await stage.shopApi.call('GET', path, { key });
      return [status, text.startsWith('{"error":"not_found","detail":'), headers.get('etag')];
    };
    const refused = [404, true, null];
    assert.deepEqual(await ask(`/units/${unitId}/photos/front`), refused);
    assert.deepEqual(await ask(`/units/${unitId}/photos/top`), refused);
    assert.deepEqual(await ask(`/units/${newId()}/photos/front`), refused);
    assert.deepEqual(await ask('/units/x/photos/front'), refused);
    await stage.put(unitId, 'front', await makeCorneredPng(), 'image/png');
    assert.deepEqual(await ask(`/units/${unitId}/photos/front`, stage.otherKey), refused);
    await rm(join(stage.folder, stage.party.shop.id), { recursive: true });
    assert.deepEqual(await ask(`/units/${unitId}/photos/front`), refused, 'its bytes are gone');
    const keyless = await stage.shopApi.call('GET', `/units/${unitId}/photos/front`, { key: null });
    assert.equal(keyless.status, 401);
  });

  it('PUT and DELETE return 404 for an unknown side or another shop’s unit, and write nothing', async () => {
    const files = await stage.files();
    const picture = await makeNoisyImage(1_200, 1_200, 'png');
    for (const [unitId, side] of [
      [newId(), 'front'],
      [stage.otherUnitId, 'front'],
      ['no-uuid', 'front'],
      [stage.unitId, 'side'],
      [stage.unitId, 'Front'],
    ] as const) {
      const answer = await stage.put(unitId, side, picture, 'image/png');
      assert.equal(answer.status, 404, `${unitId} ${side}`);
      assert.equal(answer.body['error'], 'not_found');
      assert.equal(await remove(unitId, side), 404);
    }
    const large = await stage.put(newId(), 'front', Buffer.alloc(IMAGE_BYTES_MAX, 1));
    assert.equal(large.status, 404, 'the sender hears it');
    assert.deepEqual(await stage.files(), files);
  });

  it('the error says what is wrong with a body that is not a supported image', async () => {
    const png = await makePlainImage(60, 40, 'png');
    const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    const seq = await head();
    const files = await stage.files();
    for (const [bytes, type, status, detail] of [
      [heic, 'image/heic', 415, /HEIC.*JPEG, PNG or WebP.*iPhone/],
      [heic, 'application/octet-stream', 415, /HEIC/],
      [heic, 'image/jpeg', 422, /The image is HEIC, but Content-Type says image\/jpeg.*iPhone/],
      [await sharp(png).gif().toBuffer(), 'image/gif', 415, /Content-Type must be image\/jpeg/],
      [await sharp(png).tiff().toBuffer(), 'image/png', 422, /is TIFF/],
      [Buffer.from(svg), 'image/svg+xml', 415, /Content-Type/],
      [Buffer.from(svg), 'image/png', 422, /SVG/],
      [Buffer.from('hello'), 'text/plain', 415, /Content-Type/],
      [Buffer.from('{"a":1}'), 'application/json', 415, /Content-Type/],
      [Buffer.from('a=b'), 'application/x-www-form-urlencoded', 415, /Content-Type/],
      [Buffer.from('hello'), 'image/jpeg', 422, /in an unknown format/],
      [png, 'image/jpeg', 422, /The image is PNG, but Content-Type says image\/jpeg/],
      [png.subarray(0, 90), 'image/png', 422, /damaged or incomplete/],
      [Buffer.alloc(0), 'image/png', 422, /is empty/],
      [
        makePngClaimingSize(30_000, 30_000),
        'image/png',
        422,
        /30000 × 30000 pixels; the maximum is 50 megapixels/,
      ],
    ] as const) {
      const answer = await stage.put(stage.unitId, 'back', bytes, type);
      assert.equal(answer.status, status, `${type}: ${answer.text}`);
      const error = status === 415 ? 'unsupported_media_type' : 'invalid_request';
      assert.deepEqual(Object.keys(answer.body), ['error', 'detail']);
      assert.equal(answer.body['error'], error);
      assert.match(String(answer.body['detail']), detail, type);
    }
    assert.deepEqual([await head(), await stage.files()], [seq, files]);
  });

  it('PUT accepts an image without a type, or with a common wrong type', async () => {
    const unitId = await stage.makeUnit();
    const jpeg = await makePlainImage(60, 40, 'jpeg');
    for (const type of ['application/octet-stream', 'IMAGE/JPG', 'image/jpeg; charset=binary']) {
      const answer = await stage.put(unitId, 'front', jpeg, type);
      assert.ok(answer.status === 200 || answer.status === 201, `${type}: ${answer.text}`);
    }
    const url = `http://127.0.0.1:${stage.shopApi.port}/shop/v1/units/${unitId}/photos/front`;
    const authorization = `Bearer ${stage.key}`;
    const untold = await fetch(url, { method: 'PUT', headers: { authorization }, body: jpeg });
    assert.equal(untold.status, 200, await untold.text());
  });

  it('PUT accepts 20,000,000 bytes, and not one byte more', async () => {
    const jpeg = await makePlainImage(600, 400, 'jpeg');
    // Cameras may append data to a JPEG.
    const padded = Buffer.concat([jpeg, Buffer.alloc(IMAGE_BYTES_MAX - jpeg.length)]);
    const unitId = await stage.makeUnit();
    assert.equal((await stage.put(unitId, 'front', padded)).status, 201);
    const seq = await head();
    const more = await stage.put(unitId, 'back', Buffer.concat([padded, Buffer.alloc(1)]));
    assert.deepEqual([more.status, more.body['error']], [413, 'payload_too_large']);
    assert.match(String(more.body['detail']), /The image is larger than 20000000 bytes/);
    assert.equal(await head(), seq);
  });

  it('eight concurrent uploads leave one photo and no other bytes', async () => {
    const unitId = await stage.makeUnit();
    const files = new Set(await stage.files());
    const images = await Promise.all(
      Array.from({ length: 8 }, async (_, index) => await makePlainImage(100 + index, 90, 'png')),
    );
    const answers = await Promise.all(
      images.map(async (each) => await stage.put(unitId, 'front', each, 'image/png')),
    );
    for (const { status, text } of answers) assert.ok([200, 201].includes(status), text);
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    const shown = await stage.shopApi.call('GET', `/units/${unitId}`, { key: stage.key });
    assert.equal(unitOf(shown.text).photos.length, 1);
    const same = await Promise.all(
      Array.from(
        { length: 4 },
        async () => await stage.put(unitId, 'back', images[0] ?? Buffer.alloc(0), 'image/png'),
      ),
    );
    assert.equal(same.filter(({ status }) => status === 201).length, 1, 'one made it');
    const seq = await head();
    stage.shopApi.clock.advance(3_600_000);
    await removeStalePhotos(base.db, stage.store, stage.shopApi.clock.now());
    const left = (await stage.files()).filter((name) => !files.has(name));
    assert.equal(left.length, 4, 'two sizes of two sides');
    for (const side of ['front', 'back']) {
      const served = await stage.get(`${unitId}/photos/${side}`);
      assert.equal(served.status, 200);
    }
    assert.equal(await head(), seq);
  });
});

describe('an outage of the photo store', () => {
  it('both APIs return 503 with Retry-After during an outage of the photo store, and nothing changes', async () => {
    await using base = await openTestDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'cardport-away-'));
    const store = new FolderStore(join(folder, 'photos'));
    await using stage = await openPhotoScene(base, store);
    const picture = await makeCorneredPng();
    assert.equal((await stage.put(stage.unitId, 'front', picture, 'image/png')).status, 201);
    const { seq } = await readHead(base.db, stage.party.shop.id);
    await rm(join(folder, 'photos'), { recursive: true });
    await writeFile(join(folder, 'photos'), 'a file where the folder was');
    const put = await stage.put(stage.unitId, 'back', picture, 'image/png');
    assert.deepEqual([put.status, put.body['error']], [503, 'temporarily_unavailable']);
    assert.match(String(put.body['detail']), /photo store/);
    const get = await stage.get(`${stage.unitId}/photos/front`);
    assert.deepEqual([get.status, await get.text()], [503, '{"error":"temporarily_unavailable"}']);
    for (const header of [put.headers.get('retry-after'), get.headers.get('retry-after')]) {
      assert.equal(header, '2');
    }
    assert.equal(get.headers.get('etag'), null, 'nothing of the picture');
    assert.equal((await readHead(base.db, stage.party.shop.id)).seq, seq);
    const known = { 'if-none-match': '*' };
    assert.equal((await stage.get(`${stage.unitId}/photos/front`, known)).status, 304);
    await rm(folder, { recursive: true });
  });
});
