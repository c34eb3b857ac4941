import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testsOf } from '../definition.ts';
import { callEndpoint, endpoints } from '../endpoints.ts';
import { expect, expectBody, expectError, expectSame, expectStatus } from '../expect.ts';
import { connection } from '../resources.ts';

const test = testsOf('3.1');

/** An approval of the spare app to which no connection exists. */
async function withoutConnection(context: Context): Promise<Caller> {
  const app = await context.connected({ app: context.spareApp });
  expectStatus(await app.delete('/connection'), 200, 204);
  return await context.approved({ app: context.spareApp });
}

/** Every endpoint, POST /connection included, answers this 403. */
async function expectEverywhere(context: Context, app: Caller, code: string): Promise<void> {
  for (const endpoint of endpoints) {
    expectError(await callEndpoint(context, app, endpoint), 403, code);
  }
}

export const tests: readonly ConformanceTest[] = [
  test(
    'opens',
    'POST /connection makes the connection active and names the shop',
    async (context) => {
      const app = await withoutConnection(context);
      const opened = await app.post('/connection');
      expect(opened.status === 200 || opened.status === 201, 'success', opened.status);
      expect(
        opened.text.includes(context.shop.id),
        'the connected shop in the answer',
        opened.text,
      );
      const { status } = expectBody(await app.get('/connection'), 200, connection);
      expectSame('status', status, 'active');
    },
  ),

  test('only-while-active', 'before POST /connection no other endpoint works', async (context) => {
    const app = await withoutConnection(context);
    for (const endpoint of endpoints.filter(({ name }) => name !== 'POST /connection')) {
      expectStatus(await callEndpoint(context, app, endpoint), 403);
    }
    expectStatus(await app.post('/connection'), 200, 201);
    expectStatus(await app.get('/connection'), 200);
  }),

  test(
    'ends',
    'DELETE /connection ends it: later calls are 403 connection_revoked',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      expectStatus(await app.delete('/connection'), 200, 204);
      for (const endpoint of endpoints.filter(({ name }) => name !== 'POST /connection')) {
        expectError(await callEndpoint(context, app, endpoint), 403, 'connection_revoked');
      }
    },
  ),

  test(
    'revoked',
    'when the shop ends the connection every call is 403 connection_revoked',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      await context.control.endConnection(context.spareApp.clientId);
      await expectEverywhere(context, app, 'connection_revoked');
    },
  ),

  test(
    'disabled',
    'while the app is disabled every call is 403 client_disabled',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      await context.control.disableApp(context.spareApp.clientId);
      try {
        await expectEverywhere(context, app, 'client_disabled');
      } finally {
        await context.control.enableApp(context.spareApp.clientId);
      }
      expectBody(await app.get('/connection'), 200, connection);
    },
  ),

  test('again', 'a new approval and POST make an active connection again', async (context) => {
    const first = await context.connected({ app: context.spareApp });
    await context.control.endConnection(context.spareApp.clientId);
    const second = await context.connected({ app: context.spareApp });
    expectBody(await second.get('/connection'), 200, connection);
    expectError(await first.get('/connection'), 403, 'connection_revoked');
  }),

  test(
    'one-app-only',
    'the end of one app’s connection leaves another app’s alone',
    async (context) => {
      const spare = await context.connected({ app: context.secondApp });
      const main = await context.kept();
      expectStatus(await spare.delete('/connection'), 200, 204);
      expectBody(await main.get('/connection'), 200, connection);
    },
  ),
];
