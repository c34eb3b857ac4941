import type { Caller } from '../caller.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { callEndpoint, endpoints } from '../endpoints.ts';
import {
  expect,
  expectBody,
  expectError,
  expectHeader,
  expectOAuthError,
  expectSame,
  expectStatus,
} from '../expect.ts';
import { headOf, readPage } from '../feed.ts';
import { connection } from '../resources.ts';

const test = testFactory('D3');

async function withoutConnection(context: Context): Promise<Caller> {
  const app = await context.connected({ app: context.spareApp });
  expectStatus(await app.delete('/connection'), 204);
  return await context.approved({ app: context.spareApp });
}

export const tests: readonly ConformanceTest[] = [
  test(
    'created',
    'POST /connection returns 201 with the Connection and its Location',
    async (context) => {
      const app = await withoutConnection(context);
      const opened = await app.post('/connection');
      expectBody(opened, 201, connection);
      expectHeader(opened, 'location', `${context.target.baseUrl}/connection`);
    },
  ),

  test(
    'repeated',
    'a repeated POST /connection returns 200 with the same connection, so a retry is safe',
    async (context) => {
      const app = await withoutConnection(context);
      const first = expectBody(await app.post('/connection'), 201, connection);
      const second = expectBody(await app.post('/connection'), 200, connection);
      expectSame(
        'id and connectedAt',
        [second.id, second.connectedAt],
        [first.id, first.connectedAt],
      );
    },
  ),

  test(
    'body-ignored',
    'POST /connection works without a body and with any JSON object',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      for (const body of ['', '{}', '{"tenant":"x"}']) {
        const response = await app.call('POST', '/connection', {
          headers: { 'Content-Type': 'application/json' },
          body,
        });
        expectBody(response, 200, connection);
      }
    },
  ),

  test(
    'body-refused',
    'POST /connection with a body that is not a JSON object gets 400 invalid_request',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      for (const body of ['[]', '"x"', '{', 'null', '1']) {
        const response = await app.call('POST', '/connection', {
          headers: { 'Content-Type': 'application/json' },
          body,
        });
        expectError(response, 400, 'invalid_request');
      }
    },
  ),

  test(
    'before-post',
    'before POST /connection, every other call gets 403 forbidden',
    async (context) => {
      const app = await withoutConnection(context);
      for (const endpoint of endpoints.filter(({ name }) => name !== 'POST /connection')) {
        expectError(await callEndpoint(context, app, endpoint), 403, 'forbidden');
      }
    },
  ),

  test(
    'deleted',
    'DELETE /connection returns 204 without a body; a repeated DELETE gets 403 connection_revoked',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const ended = await app.delete('/connection');
      expectStatus(ended, 204);
      expectSame('the body', ended.text, '');
      expectError(await app.delete('/connection'), 403, 'connection_revoked');
      expectError(await app.post('/connection'), 403, 'connection_revoked');
    },
  ),

  test('refresh-ends', 'ending the connection ends its refresh tokens', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    expectStatus(await app.delete('/connection'), 204);
    expectOAuthError(await app.oauth.refresh(app.tokens.refreshToken ?? ''), 400, 'invalid_grant');
  }),

  test(
    'webhook-ends',
    'a new connection after an ended connection has a new id and no webhook, and cursors stay valid',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const { id } = expectBody(await app.get('/connection'), 200, connection);
      const cursor = await headOf(app);
      expectStatus(await app.put('/webhook', { url: context.target.webhook.acceptableUrl }), 200);
      expectStatus(await app.delete('/connection'), 204);
      const again = await context.connected({ app: context.spareApp });
      const after = expectBody(await again.get('/connection'), 200, connection);
      expect(after.id !== id, 'another id', after.id);
      expectSame('webhook', after.webhook ?? null, null);
      await readPage(context, again, cursor);
    },
  ),

  test(
    'shared',
    'all approvals of an app share its connection; user is the member of the last POST',
    async (context) => {
      const owner = await context.connected({ app: context.spareApp });
      const first = expectBody(await owner.get('/connection'), 200, connection);
      const clerk = await context.approved({ app: context.spareApp, member: context.clerk });
      const seen = expectBody(await clerk.get('/connection'), 200, connection);
      expectSame('id and user for another approval', [seen.id, seen.user], [first.id, first.user]);
      const posted = expectBody(await clerk.post('/connection'), 200, connection);
      expectSame(
        'id and user after the POST of the other approval',
        [posted.id, posted.user.email],
        [first.id, context.clerk.email],
      );
      // Each call is limited to the permissions of the member who approved its token.
      expectStatus(await owner.get('/purchase-boosts'), 200);
      expectError(await clerk.get('/purchase-boosts'), 403, 'forbidden');
    },
  ),

  test('disabled-keeps', 'a disabled app keeps its connection', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const before = expectBody(await app.get('/connection'), 200, connection);
    await context.control.disableApp(context.spareApp.clientId);
    await context.control.enableApp(context.spareApp.clientId);
    const after = expectBody(await app.get('/connection'), 200, connection);
    expectSame('the connection', [after.id, after.connectedAt], [before.id, before.connectedAt]);
  }),

  test(
    'revoked-everywhere',
    'after the shop ends the connection, POST with its tokens gets 403 connection_revoked, even when there is a new connection',
    async (context) => {
      const first = await context.connected({ app: context.spareApp });
      await context.control.endConnection(context.spareApp.clientId);
      expectError(await first.post('/connection'), 403, 'connection_revoked');
      await context.connected({ app: context.spareApp });
      expectError(await first.get('/connection'), 403, 'connection_revoked');
    },
  ),

  test(
    'scope-none',
    'a token without a read scope gets 403 insufficient_scope everywhere, even when another approval has connected',
    async (context) => {
      // Another approval opens the connection, so that only the scope is missing.
      await context.connected({ app: context.spareApp });
      const app = await context.approved({
        app: context.spareApp,
        changes: { scope: 'openid offline_access' },
      });
      for (const endpoint of endpoints) {
        const response = await callEndpoint(context, app, endpoint);
        expectError(response, 403, 'insufficient_scope', endpoint.scopes[0]);
      }
    },
  ),

  test(
    'scope-of-either',
    'where either scope is enough, insufficient_scope names purchase-boosts:read',
    async (context) => {
      await context.connected({ app: context.spareApp });
      const app = await context.approved({ app: context.spareApp, changes: { scope: 'openid' } });
      expectError(await app.get('/connection'), 403, 'insufficient_scope', 'purchase-boosts:read');
    },
  ),

  test(
    'order-of-checks',
    'checks run in the order token, connection, scope, permission, parameters, object',
    async (context) => {
      const app = await withoutConnection(context);
      // A missing connection is reported before an invalid parameter.
      expectError(await app.get('/purchase-boosts', { include: 'x' }), 403, 'forbidden');
      expectStatus(await app.post('/connection'), 201);
      const clerk = await context.approved({ app: context.spareApp, member: context.clerk });
      expectError(await clerk.get('/purchase-boosts', { include: 'x' }), 403, 'forbidden');
      const narrow = await context.approved({
        app: context.spareApp,
        changes: { scope: 'purchase-boosts:read' },
      });
      expectError(await narrow.get('/cards/unknown'), 403, 'insufficient_scope', 'inventory:read');
      expectError(
        await narrow.get('/cards', { limit: 'x' }),
        403,
        'insufficient_scope',
        'inventory:read',
      );
      expectError(
        await context.unknownCaller().get('/purchase-boosts', { include: 'x' }),
        401,
        'invalid_token',
      );
    },
  ),
];
