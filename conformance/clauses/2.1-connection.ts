import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectSame, expectStatus, expectSuccess } from '../expect.ts';
import { readPage } from '../feed.ts';
import { connection } from '../resources.ts';

const test = testFactory('2.1');

export const tests: readonly ConformanceTest[] = [
  test('fields', 'a Connection has every required field with the right type', async (context) => {
    const app = await context.sharedConnection();
    expectBody(await app.get('/connection'), 200, connection);
  }),

  test('tenant', 'tenant is the connected shop with id, name and slug', async (context) => {
    const app = await context.sharedConnection();
    const { tenant } = expectBody(await app.get('/connection'), 200, connection);
    const { id, name, slug } = context.shop;
    expectSame(
      'tenant',
      { id: tenant.id, name: tenant.name, slug: tenant.slug },
      { id, name, slug },
    );
  }),

  test('user', 'user is the member who approved', async (context) => {
    const app = await context.sharedConnection();
    const { user } = expectBody(await app.get('/connection'), 200, connection);
    const { email, name } = context.shop.members.owner;
    expectSame('user', { name: user.name, email: user.email }, { name, email });
    expect(user.id !== '', 'a user id', user.id);
  }),

  test('client-id', 'clientId is the approved app', async (context) => {
    const app = await context.sharedConnection();
    const { clientId } = expectBody(await app.get('/connection'), 200, connection);
    expectSame('clientId', clientId, app.app.clientId);
  }),

  test(
    'connected-at',
    'connectedAt is the time of POST /connection, and does not change',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      expectSuccess(await app.delete('/connection'));
      const before = await context.nowMs();
      const again = await context.connected({ app: context.spareApp });
      const first = expectBody(await again.get('/connection'), 200, connection);
      const madeAtMs = Date.parse(first.connectedAt);
      expect(
        Math.abs(madeAtMs - before) < CLOCKS_APART_MS,
        'connectedAt to be within a minute of POST /connection',
        first.connectedAt,
      );
      const second = expectBody(await again.get('/connection'), 200, connection);
      expectSame('connectedAt of a second read', second.connectedAt, first.connectedAt);
    },
  ),

  test('webhook-null', 'webhook is null when none is set', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    await app.delete('/webhook');
    const { webhook } = expectBody(await app.get('/connection'), 200, connection);
    expectSame('webhook', webhook ?? null, null);
  }),

  test(
    'webhook-set',
    'webhook has url and createdAt when one is set, and no secret',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const url = context.target.webhook.acceptableUrl;
      expectStatus(await app.put('/webhook', { url }), 200);
      const response = await app.get('/connection');
      const { webhook } = expectBody(response, 200, connection);
      expectSame('webhook.url', webhook?.url, url);
      expect(!response.text.includes('whsec_'), 'no signing secret in GET /connection', 'one');
      await app.delete('/webhook');
    },
  ),

  test(
    'cursor',
    'cursor is the head of the feed: reading from it returns only later changes',
    async (context) => {
      const app = await context.sharedConnection();
      const { cursor } = expectBody(await app.get('/connection'), 200, connection);
      const nothing = await readPage(context, app, cursor);
      expectSame('the changes after the head', nothing.changes, []);
      const id = await context.control.changeStock(context.shop.id);
      const later = await readPage(context, app, cursor);
      const ids = later.changes.map(({ data }) => data.id);
      expect(ids.includes(id), 'the object that changed after the head', ids);
    },
  ),
];

/** The maximum difference between the clocks of the suite and the target. */
const CLOCKS_APART_MS = 60_000;
