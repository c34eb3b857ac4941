import assert from 'node:assert/strict';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { TEST_BASE_URL, TEST_PUBLIC_URL } from '../../test/partner.ts';
import { openPhotoScene, type PhotoScene } from '../../test/photo-scene.ts';
import { makeCorneredPng, makeNoisyImage, makePlainImage } from '../../test/images.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { newId } from '../base/secrets.ts';
import type { UnitPhoto } from '../inventory/unit-photo.ts';
import { FolderStore } from '../images/folder-store.ts';
import { renderPartnerOpenapi } from './openapi.ts';

interface Shown {
  readonly photos: readonly Pick<UnitPhoto, 'side' | 'etag' | 'contentType' | 'updatedAt'>[];
}

function photosOf(text: string): Shown['photos'] {
  const shown: Shown = JSON.parse(text);
  return shown.photos;
}

const NOT_FOUND = '{"error":"not_found"}';

describe('the description of photos', () => {
  it('the OpenAPI document describes both image types, 304, and the size', () => {
    const document: {
      readonly paths: Readonly<
        Record<string, { readonly get: Readonly<Record<'responses' | 'parameters', object>> }>
      >;
    } = JSON.parse(renderPartnerOpenapi(TEST_PUBLIC_URL, TEST_BASE_URL));
    const { get } = document.paths['/inventory/items/{id}/photos/{side}'] ?? {};
    const text = JSON.stringify(get);
    assert.match(
      text,
      /"200":\{[^{]*"headers":.*"content":\{"image\/jpeg":\{\},"image\/webp":\{\}\}/,
    );
    assert.match(
      text,
      /"name":"side",[^}]*"schema":\{"type":"string","examples":\["front","back"\]\}/,
    );
    assert.match(text, /"name":"If-None-Match",[^}]*\},"in":"header"/);
    assert.match(text, /"name":"If-Modified-Since",[^}]*\},"in":"header"/);
    assert.match(text, /HEAD returns/);
    assert.match(text, /"304":\{"description":"[^"]+","headers"/);
    assert.match(text, /"name":"size".*"enum":\["large","small"\],"default":"large"/);
  });
});

describe('GET /inventory/items/{id}/photos/{side} (4.7)', () => {
  let base: TestDatabase;
  let stage: PhotoScene;
  let etag: string;
  let path: string;
  before(async () => {
    base = await openTestDatabase();
    stage = await openPhotoScene(base);
    const put = await stage.put(stage.unitId, 'front', await makeCorneredPng(), 'image/png');
    assert.equal(put.status, 201, put.text);
    etag = photosOf(put.text)[0]?.etag ?? '';
    path = `${stage.unitId}/photos/front`;
  });
  after(async () => {
    await stage[Symbol.asyncDispose]();
    await base.close();
  });

  /** Returns the headers that describe the photo. */
  function told({ headers }: Response): (string | null)[] {
    const names = ['content-type', 'content-length', 'etag', 'last-modified', 'cache-control'];
    return [...names, 'x-content-type-options', 'accept-ranges'].map((name) => headers.get(name));
  }

  it('a photo is sent with its type, length, date, no-store, and the etag of the unit’s record', async () => {
    const answer = await stage.get(path);
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(answer.status, 200);
    assert.deepEqual(told(answer), [
      'image/jpeg',
      String(bytes.length),
      etag,
      'Mon, 01 Jun 2026 12:00:00 GMT',
      'no-store',
      'nosniff',
      null,
    ]);
    assert.equal(bytes.subarray(0, 3).toString('hex'), 'ffd8ff');
    const upper = await stage.get(`${stage.unitId.toUpperCase()}/photos/front`);
    assert.deepEqual(Buffer.from(await upper.arrayBuffer()), bytes);
    assert.deepEqual(told(upper), told(answer));
  });

  it('a known etag gets 304 with the same validators, and other etags get 200', async () => {
    const bare = etag.slice(1, -1);
    for (const tags of [etag, `W/${etag}`, `"a", ${etag}`, `"a,b" ,W/${etag},"c"`, '*', bare]) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await stage.get(path, { 'if-none-match': tags }, method);
        assert.equal(answer.status, 304, `${method} ${tags}`);
        assert.equal(answer.headers.get('etag'), etag);
        assert.equal(answer.headers.get('cache-control'), 'no-store');
        assert.equal(answer.headers.get('last-modified'), 'Mon, 01 Jun 2026 12:00:00 GMT');
        assert.equal(answer.headers.get('content-length'), null);
        assert.equal((await answer.arrayBuffer()).byteLength, 0);
      }
    }
    for (const tags of ['"a"', '', '"', 'W/', `"${bare}x"`, bare.slice(1), `"a${bare}"`]) {
      const answer = await stage.get(path, { 'if-none-match': tags });
      assert.equal(answer.status, 200, tags);
    }
  });

  it('If-Modified-Since counts only without If-None-Match (RFC 9110 §13.2.2)', async () => {
    const modified = 'Mon, 01 Jun 2026 12:00:00 GMT';
    const cases: readonly (readonly [Record<string, string>, number])[] = [
      [{ 'if-modified-since': modified }, 304],
      [{ 'if-modified-since': 'Mon, 01 Jun 2026 12:00:01 GMT' }, 304],
      [{ 'if-modified-since': 'Mon, 01 Jun 2026 11:59:59 GMT' }, 200],
      [{ 'if-modified-since': 'yesterday' }, 200],
      [{ 'if-modified-since': '2026-06-01T12:00:00Z' }, 200],
      [{ 'if-modified-since': modified, 'if-none-match': '"a"' }, 200],
      [{ 'if-modified-since': 'Mon, 01 Jun 2026 11:59:59 GMT', 'if-none-match': etag }, 304],
    ];
    for (const [headers, status] of cases) {
      const answer = await stage.get(path, headers);
      assert.equal(answer.status, status, JSON.stringify(headers));
    }
  });

  it('the small size has the same etag, and other sizes of any unit get 400', async () => {
    const small = await stage.get(`${path}?size=small`);
    assert.equal(small.headers.get('etag'), etag);
    const again = await stage.get(`${path}?size=small`, { 'if-none-match': etag });
    assert.equal(again.status, 304);
    for (const query of ['size=huge', 'size=', 'size=small&size=small', 'size=Small']) {
      for (const where of [path, `${newId()}/photos/front`, 'x/photos/y']) {
        const answer = await stage.get(`${where}?${query}`);
        assert.equal(answer.status, 400, `${where} ${query}`);
        assert.equal(await answer.text(), '{"error":"invalid_request"}');
      }
    }
    const unknown = await stage.get(`${path}?Size=huge&width=5`);
    assert.equal(unknown.status, 200, 'unknown names are ignored');
  });

  it('a photo that does not exist or belongs to another shop gets the same 404', async () => {
    const other = await stage.shopApi.call('PUT', `/units/${stage.otherUnitId}/photos/front`, {
      key: stage.otherKey,
      body: await makePlainImage(20, 20, 'png'),
      headers: { 'content-type': 'image/png' },
    });
    assert.equal(other.status, 201);
    for (const missing of [
      `${stage.otherUnitId}/photos/front`,
      `${newId()}/photos/front`,
      `${stage.unitId}/photos/back`,
      `${stage.unitId}/photos/side`,
      `${stage.unitId}/photos/FRONT`,
      `${stage.unitId}/photos/${'x'.repeat(2_000)}`,
      'no-uuid/photos/front',
      `${stage.unitId}x/photos/front`,
      '%2e%2e/photos/front',
      `${stage.unitId}/photos`,
    ]) {
      const answer = await stage.get(missing, { 'if-none-match': '*' });
      assert.equal(answer.status, 404, missing);
      assert.equal(await answer.text(), NOT_FOUND, missing);
      assert.equal(answer.headers.get('etag'), null, missing);
    }
  });

  it('other methods get 405', async () => {
    const put = await stage.get(path, {}, 'PUT');
    assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, HEAD']);
  });

  it('the file is closed when the client disconnects during the response', async () => {
    const unitId = await stage.makeUnit();
    assert.equal(
      (await stage.put(unitId, 'front', await makeNoisyImage(1600, 1600, 'jpeg'))).status,
      201,
    );
    // The photo is larger than the socket buffers, so each response stays half sent until its
    // client disconnects.
    const request = `GET /partner/v1/inventory/items/${unitId}/photos/front HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${stage.token}\r\n\r\n`;
    const sockets = Array.from({ length: 5 }, () => {
      const socket = connect({ port: stage.node.port, host: '127.0.0.1' });
      socket.on('error', () => socket.destroy());
      socket.pause();
      socket.write(request.repeat(10));
      return socket;
    });
    await waitUntil(() => stage.store.openReads >= sockets.length);
    for (const socket of sockets) socket.destroy();
    await waitUntil(() => stage.store.openReads === 0);
  });

  it('a photo whose bytes are gone from the store gets 404, until it is uploaded again', async () => {
    const unitId = await stage.makeUnit();
    const picture = await makePlainImage(50, 40, 'png');
    const first = await stage.put(unitId, 'back', picture, 'image/png');
    await rm(`${stage.folder}/${stage.party.shop.id}`, { recursive: true });
    const lost = await stage.get(`${unitId}/photos/back`);
    assert.deepEqual([lost.status, await lost.text()], [404, NOT_FOUND]);
    const head = await stage.get(`${unitId}/photos/back`, {}, 'HEAD');
    assert.equal(head.status, 200, 'the store is not asked');
    const again = await stage.put(unitId, 'back', picture, 'image/png');
    assert.equal(again.status, 200);
    assert.equal(photosOf(again.text)[0]?.etag, photosOf(first.text)[0]?.etag);
    const found = await stage.get(`${unitId}/photos/back`);
    assert.equal(found.status, 200);
  });

  it('a photo with incomplete bytes counts as missing', async () => {
    const unitId = await stage.makeUnit();
    const picture = await makePlainImage(70, 40, 'png');
    const known = new Set(await stage.files());
    await stage.put(unitId, 'front', picture, 'image/png');
    const file = (await stage.files()).find((name) => !known.has(name) && name.endsWith('-large'));
    const folder = `${stage.folder}/${stage.party.shop.id}/${file?.slice(0, 2)}`;
    await truncate(`${folder}/${file}`, 100);
    const lost = await stage.get(`${unitId}/photos/front`);
    assert.deepEqual([lost.status, await lost.text()], [404, NOT_FOUND]);
    assert.equal((await stage.put(unitId, 'front', picture, 'image/png')).status, 200);
    assert.equal((await stage.get(`${unitId}/photos/front`)).status, 200);
  });
});

describe('a burst of photos', () => {
  it('a burst of photos is read a few at a time, and disconnected clients are skipped (decision 0080)', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cardport-photos-'));
    const store = new FolderStore(folder, { openMax: 3, openPerShopMax: 2 });
    await using base = await openTestDatabase();
    await using few = await openPhotoScene(base, store);
    const picture = await makeNoisyImage(1600, 1600, 'jpeg');
    assert.equal((await few.put(few.unitId, 'front', picture)).status, 201);
    const request = `GET /partner/v1/inventory/items/${few.unitId}/photos/front HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${few.token}\r\n\r\n`;
    const ask = (): Socket => {
      const socket = connect({ port: few.node.port, host: '127.0.0.1' });
      socket.on('error', () => socket.destroy());
      socket.pause();
      socket.write(request.repeat(10));
      return socket;
    };
    const slow = [ask(), ask()];
    await waitUntil(() => store.openReads === 2 && store.waitingReads > 0);
    const gone = Array.from({ length: 5 }, ask);
    const before = store.waitingReads;
    await waitUntil(() => store.waitingReads > before);
    for (const socket of gone) socket.destroy();
    const path = `${few.unitId}/photos/front`;
    const burst = Array.from({ length: 40 }, async () => await few.get(path));
    await waitUntil(() => store.waitingReads > 20);
    for (const socket of slow) socket.destroy();
    for (const { status } of await Promise.all(burst)) assert.equal(status, 200);
    await waitUntil(() => store.openReads === 0 && store.waitingReads === 0);
    await rm(folder, { recursive: true, force: true });
  });
});
