import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { callEndpoint, endpoints } from '../endpoints.ts';
import {
  expect,
  expectBody,
  expectError,
  expectRefusal,
  expectSame,
  expectStatus,
  expectSuccess,
} from '../expect.ts';
import { connection } from '../resources.ts';

const test = testFactory('3.1');

/** Returns an approval of the spare app that has no connection. */
async function withoutConnection(context: Context): Promise<Caller> {
  const app = await context.connected({ app: context.spareApp });
  expectSuccess(await app.delete('/connection'));
  return await context.approved({ app: context.spareApp });
}

export const tests: readonly ConformanceTest[] = [
  test(
    'opens',
    'POST /connection activates the connection and returns the shop',
    async (context) => {
      const app = await withoutConnection(context);
      const opened = await app.post('/connection');
      expectSuccess(opened);
      const { id, name, slug } = context.shop;
      expect(
        [id, name, slug].some((word) => opened.text.includes(JSON.stringify(word))),
        'the connected shop in the response',
        opened.text,
      );
      const { status } = expectBody(await app.get('/connection'), 200, connection);
      expectSame('status', status, 'active');
    },
  ),

  test('only-while-active', 'before POST /connection no other endpoint works', async (context) => {
    const app = await withoutConnection(context);
    for (const endpoint of endpoints.filter(({ name }) => name !== 'POST /connection')) {
      expectRefusal(await callEndpoint(context, app, endpoint));
    }
    expectSuccess(await app.post('/connection'));
    expectStatus(await app.get('/connection'), 200);
  }),

  test('ends', 'after DELETE /connection, calls get 403 connection_revoked', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    expectSuccess(await app.delete('/connection'));
    for (const endpoint of endpoints.filter(({ name }) => name !== 'POST /connection')) {
      expectError(await callEndpoint(context, app, endpoint), 403, 'connection_revoked');
    }
  }),

  test(
    'revoked',
    'after the shop ends the connection, every call but POST gets 403 connection_revoked',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      await context.control.endConnection(context.spareApp.clientId);
      for (const endpoint of endpoints.filter(({ name }) => name !== 'POST /connection')) {
        expectError(await callEndpoint(context, app, endpoint), 403, 'connection_revoked');
      }
    },
  ),

  test(
    'disabled',
    'while the app is disabled, every call gets 403 client_disabled',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      await context.control.disableApp(context.spareApp.clientId);
      try {
        for (const endpoint of endpoints) {
          expectError(await callEndpoint(context, app, endpoint), 403, 'client_disabled');
        }
      } finally {
        await context.control.enableApp(context.spareApp.clientId);
      }
      expectBody(await app.get('/connection'), 200, connection);
    },
  ),

  test('again', 'a new approval and POST create an active connection again', async (context) => {
    await context.connected({ app: context.spareApp });
    await context.control.endConnection(context.spareApp.clientId);
    const second = await context.connected({ app: context.spareApp });
    expectBody(await second.get('/connection'), 200, connection);
  }),

  test(
    'one-app-only',
    'ending one app’s connection does not affect the connection of another app',
    async (context) => {
      const spare = await context.connected({ app: context.secondApp });
      const main = await context.sharedConnection();
      expectSuccess(await spare.delete('/connection'));
      expectBody(await main.get('/connection'), 200, connection);
    },
  ),
];
