import { randomUUID } from 'node:crypto';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expectError } from '../expect.ts';

const test = testFactory('7');

export const tests: readonly ConformanceTest[] = [
  test('invalid-request', '400 is exactly {"error":"invalid_request"}', async (context) => {
    const app = await context.sharedConnection();
    expectError(await app.get('/purchase-boosts', { include: 'x' }), 400, 'invalid_request');
  }),

  test(
    'invalid-token-missing',
    '401 for a missing token is exactly {"error":"invalid_token"}',
    async (context) => {
      expectError(await context.anonymous('GET', '/connection'), 401, 'invalid_token');
    },
  ),

  test(
    'invalid-token-bad',
    '401 for an invalid token is exactly {"error":"invalid_token"}',
    async (context) => {
      for (const authorization of [
        'Bearer x',
        'Bearer ',
        'Bearer',
        'Bearer a b',
        `Bearer ${'x'.repeat(4_000)}`,
      ]) {
        const response = await context.anonymous('GET', '/connection', {
          Authorization: authorization,
        });
        expectError(response, 401, 'invalid_token');
      }
    },
  ),

  test(
    'insufficient-scope',
    '403 for a missing scope names that scope in `scope`',
    async (context) => {
      const narrow = await context.sharedConnection({
        app: context.narrowApp,
        changes: { scope: context.narrowApp.scopes.join(' ') },
      });
      expectError(
        await narrow.get('/inventory/sites'),
        403,
        'insufficient_scope',
        'inventory:read',
      );
      const app = await context.connected({
        app: context.spareApp,
        changes: { scope: 'inventory:read' },
      });
      const response = await app.get('/purchase-boosts');
      expectError(response, 403, 'insufficient_scope', 'purchase-boosts:read');
    },
  ),

  test(
    'forbidden',
    '403 for a missing permission is exactly {"error":"forbidden"}',
    async (context) => {
      const app = await context.connected({ app: context.spareApp, member: context.clerk });
      expectError(await app.get('/purchase-boosts'), 403, 'forbidden');
    },
  ),

  test(
    'connection-revoked',
    '403 after the connection has ended is exactly {"error":"connection_revoked"}',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      await context.control.endConnection(context.spareApp.clientId);
      expectError(await app.get('/connection'), 403, 'connection_revoked');
    },
  ),

  test(
    'client-disabled',
    '403 of a disabled app is exactly {"error":"client_disabled"}',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      await context.control.disableApp(context.spareApp.clientId);
      try {
        expectError(await app.get('/connection'), 403, 'client_disabled');
      } finally {
        await context.control.enableApp(context.spareApp.clientId);
      }
    },
  ),

  test('not-found', '404 for an unknown card is exactly {"error":"not_found"}', async (context) => {
    const app = await context.sharedConnection();
    expectError(await app.get(`/cards/${randomUUID()}`), 404, 'not_found');
  }),

  test(
    'invalid-webhook-url',
    '422 for a refused webhook URL is exactly {"error":"invalid_webhook_url"}',
    async (context) => {
      const app = await context.sharedConnection();
      const response = await app.put('/webhook', { url: 'https://other.example/hook' });
      expectError(response, 422, 'invalid_webhook_url');
    },
  ),
];
