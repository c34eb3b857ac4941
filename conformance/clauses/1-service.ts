import type { HttpResponse } from '../response.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectNoStore, expectSame, expectStatus } from '../expect.ts';
import { connection } from '../resources.ts';

const test = testFactory('1');

async function readResponses(context: Context): Promise<readonly HttpResponse[]> {
  const app = await context.sharedConnection();
  const { photo } = context.shop.stock;
  const { card } = context.target.catalog;
  return [
    await app.get('/connection'),
    await app.get('/purchase-boosts'),
    await app.get('/inventory/sites'),
    await app.get('/inventory/changes'),
    await app.get('/cards', { search: card.name }),
    await app.get(`/cards/${card.id}`),
    ...(photo === null
      ? []
      : [await app.get(`/inventory/items/${photo.unitId}/photos/${photo.sides[0] ?? 'front'}`)]),
  ];
}

export const tests: readonly ConformanceTest[] = [
  test('no-store-reads', 'every successful read has Cache-Control: no-store', async (context) => {
    for (const response of await readResponses(context)) {
      expectStatus(response, 200);
      expectNoStore(response);
    }
  }),

  test('no-store-errors', 'every error has Cache-Control: no-store', async (context) => {
    const app = await context.sharedConnection();
    for (const response of [
      await context.anonymous('GET', '/connection'),
      await app.get('/purchase-boosts', { include: 'nothing' }),
      await app.get('/cards'),
      await app.get('/cards/00000000-0000-4000-8000-000000000000'),
      await app.get('/no-such-path'),
      await app.put('/webhook', { url: 'http://other.example/' }),
    ]) {
      expect(response.status >= 400, `an error from ${response.request}`, response.status);
      expectNoStore(response);
    }
  }),

  test('no-store-writes', 'every write has Cache-Control: no-store', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    for (const response of [
      await app.post('/connection'),
      await app.put('/webhook', { url: context.target.webhook.acceptableUrl }),
      await app.delete('/webhook'),
      await app.delete('/connection'),
    ]) {
      expect(response.status < 300, `success from ${response.request}`, response.status);
      expectNoStore(response);
    }
  }),

  test(
    'no-store-oauth',
    'the endpoints of the authorization server have Cache-Control: no-store',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request();
      const code = await context.code(request);
      const taken = await oauth.exchange(code, request);
      expectStatus(taken, 200);
      for (const response of [
        taken,
        await oauth.exchange(code, request),
        await oauth.revoke('unknown'),
        await oauth.open(oauth.request({ scope: 'no-such-scope' })),
        await oauth.open(oauth.request()),
      ]) {
        expectNoStore(response);
      }
    },
  ),

  test(
    'no-store-metadata',
    'the metadata documents have Cache-Control: no-store',
    async (context) => {
      const { authUrl, metadataUrl } = context.target;
      for (const url of [`${authUrl}/.well-known/oauth-authorization-server`, metadataUrl]) {
        const response = await context.send({ method: 'GET', url });
        expectStatus(response, 200);
        expectNoStore(response);
      }
    },
  ),

  test('one-shop', 'the access token determines the shop', async (context) => {
    for (const shop of context.target.shops) {
      const app = await context.sharedConnection({ shop });
      const { tenant } = expectBody(await app.get('/connection'), 200, connection);
      expectSame('the tenant', tenant.id, shop.id);
    }
  }),
];
