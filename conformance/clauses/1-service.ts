import type { Answer } from '../answer.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testsOf } from '../definition.ts';
import { expect, expectBody, expectNoStore, expectSame, expectStatus } from '../expect.ts';
import { connection } from '../resources.ts';

const test = testsOf('1');

async function answersOfReads(context: Context): Promise<readonly Answer[]> {
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
    for (const answer of await answersOfReads(context)) {
      expectStatus(answer, 200);
      expectNoStore(answer);
    }
  }),

  test('no-store-errors', 'every error has Cache-Control: no-store', async (context) => {
    const app = await context.sharedConnection();
    for (const answer of [
      await context.anonymous('GET', '/connection'),
      await app.get('/purchase-boosts', { include: 'nothing' }),
      await app.get('/cards'),
      await app.get('/cards/00000000-0000-4000-8000-000000000000'),
      await app.get('/no-such-path'),
      await app.put('/webhook', { url: 'http://other.example/' }),
    ]) {
      expect(answer.status >= 400, `an error from ${answer.request}`, answer.status);
      expectNoStore(answer);
    }
  }),

  test('no-store-writes', 'every write has Cache-Control: no-store', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    for (const answer of [
      await app.post('/connection'),
      await app.put('/webhook', { url: context.target.webhook.acceptableUrl }),
      await app.delete('/webhook'),
      await app.delete('/connection'),
    ]) {
      expect(answer.status < 300, `success from ${answer.request}`, answer.status);
      expectNoStore(answer);
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
      for (const answer of [
        taken,
        await oauth.exchange(code, request),
        await oauth.revoke('unknown'),
        await oauth.open(oauth.request({ scope: 'no-such-scope' })),
        await oauth.open(oauth.request()),
      ]) {
        expectNoStore(answer);
      }
    },
  ),

  test(
    'no-store-metadata',
    'the metadata documents have Cache-Control: no-store',
    async (context) => {
      const { authUrl, metadataUrl } = context.target;
      for (const url of [`${authUrl}/.well-known/oauth-authorization-server`, metadataUrl]) {
        const answer = await context.send({ method: 'GET', url });
        expectStatus(answer, 200);
        expectNoStore(answer);
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
