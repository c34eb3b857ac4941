import { type HttpResponse, headerOf } from '../response.ts';
import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { readChanges } from '../records.ts';
import {
  expect,
  expectError,
  expectHeader,
  expectNoStore,
  expectSame,
  expectStatus,
  NotRun,
} from '../expect.ts';

const test = testFactory('D5');

interface Photo {
  readonly app: Caller;
  readonly unitId: string;
  readonly path: string;
}

async function photoOf(context: Context): Promise<Photo> {
  const { photo } = context.shop.stock;
  if (photo === null) throw new NotRun('the target has no unit with a photo');
  const { unitId, sides } = photo;
  return {
    app: await context.sharedConnection(),
    unitId,
    path: `/inventory/items/${unitId}/photos/${sides[0]}`,
  };
}

/** Headers that describe the photo. */
const VALIDATORS = ['etag', 'last-modified', 'content-type', 'content-length'] as const;

function validatorsOf(response: HttpResponse): readonly (string | null)[] {
  return VALIDATORS.map((name) => headerOf(response, name));
}

export const tests: readonly ConformanceTest[] = [
  test(
    'headers',
    'a photo is a JPEG or WebP with Content-Length, a strong ETag, Last-Modified and nosniff',
    async (context) => {
      const { app, path } = await photoOf(context);
      const response = await app.get(path);
      expectStatus(response, 200);
      expectHeader(response, 'content-type', /^image\/(jpeg|webp)$/);
      expectHeader(response, 'content-length', String(response.body.length));
      expectHeader(response, 'etag', /^"[^"]+"$/);
      expectHeader(
        response,
        'last-modified',
        /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
      );
      expectHeader(response, 'x-content-type-options', 'nosniff');
      expectNoStore(response);
      const isJpeg = response.body.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]));
      const isWebp = response.body.subarray(8, 12).toString('latin1') === 'WEBP';
      expectSame(
        'the bytes',
        headerOf(response, 'content-type'),
        isJpeg ? 'image/jpeg' : isWebp ? 'image/webp' : 'neither',
      );
    },
  ),

  test(
    'not-modified',
    'If-None-Match with the ETag returns 304 without a body',
    async (context) => {
      const { app, path } = await photoOf(context);
      const etag = headerOf(await app.get(path), 'etag') ?? '';
      const response = await app.get(path, {}, { 'If-None-Match': etag });
      expectStatus(response, 304);
      expectSame('the bytes of a 304', response.body.length, 0);
      expectHeader(response, 'etag', etag);
      expectNoStore(response);
      expectStatus(await app.get(path, {}, { 'If-None-Match': '"another"' }), 200);
      for (const condition of [`"another", ${etag}`, `W/${etag}`, '*']) {
        expectStatus(await app.get(path, {}, { 'If-None-Match': condition }), 304);
      }
    },
  ),

  test(
    'validators',
    'each photo has a unique ETag, and Last-Modified is the time of its upload',
    async (context) => {
      const { app, path, unitId } = await photoOf(context);
      const sides = context.shop.stock.photo?.sides ?? [];
      const etags = new Set<string | null>();
      for (const side of sides) {
        etags.add(headerOf(await app.get(`/inventory/items/${unitId}/photos/${side}`), 'etag'));
      }
      expectSame('the number of ETags', etags.size, sides.length);
      const record = (await readChanges(context)).find(({ id }) => id === unitId);
      const photos = record !== undefined && 'photos' in record.data ? record.data.photos : [];
      const { updatedAt = '' } = photos.find(({ side }) => side === sides[0]) ?? {};
      const second = new Date(Math.floor(Date.parse(updatedAt) / 1_000) * 1_000);
      expectHeader(await app.get(path), 'last-modified', second.toUTCString());
    },
  ),

  test('head', 'HEAD responds like GET, without the body', async (context) => {
    const { app, path } = await photoOf(context);
    const whole = await app.get(path);
    const response = await app.call('HEAD', path);
    expectStatus(response, 200);
    expectHeader(response, 'content-type', /^image\//);
    expectSame('the headers', validatorsOf(response), validatorsOf(whole));
    expectSame('the bytes of a HEAD', response.body.length, 0);
    expectNoStore(response);
  }),

  test(
    'sizes',
    'size is large (the default) or small; any other value gets 400 invalid_request',
    async (context) => {
      const { app, path } = await photoOf(context);
      const plain = await app.get(path);
      const large = await app.get(path, { size: 'large' });
      const small = await app.get(path, { size: 'small' });
      expectStatus(small, 200);
      expect(plain.body.equals(large.body), 'large by default', large.body.length);
      expect(
        small.body.length < large.body.length,
        'fewer bytes in the small photo',
        small.body.length,
      );
      for (const size of ['', 'Small', 'medium', '360']) {
        expectError(await app.get(path, { size }), 400, 'invalid_request');
      }
    },
  ),

  test(
    'not-found',
    'an unknown unit, another shop’s unit, an unknown side and a missing photo get the same 404',
    async (context) => {
      const { app, unitId } = await photoOf(context);
      const { unitWithoutPhotoId } = context.shop.stock;
      const foreign =
        context.otherShop.stock.photo?.unitId ?? '00000000-0000-4000-8000-000000000001';
      for (const path of [
        '00000000-0000-4000-8000-000000000000/photos/front',
        `${foreign}/photos/front`,
        `${unitId}/photos/top`,
        `${unitId}/photos/FRONT`,
        'no-uuid/photos/front',
        ...(unitWithoutPhotoId === null ? [] : [`${unitWithoutPhotoId}/photos/front`]),
      ]) {
        expectError(await app.get(`/inventory/items/${path}`), 404, 'not_found');
      }
    },
  ),
];
