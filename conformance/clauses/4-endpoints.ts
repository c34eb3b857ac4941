import { type ConformanceTest, testFactory } from '../definition.ts';
import { callEndpoint, endpoints, type ReadScope } from '../endpoints.ts';
import {
  expect,
  expectError,
  expectRefusal,
  expectSame,
  expectShape,
  expectStatus,
  isObject,
  jsonOf,
} from '../expect.ts';

const test = testFactory('4');

const SCOPES: readonly ReadScope[] = ['purchase-boosts:read', 'inventory:read'];

export const tests: readonly ConformanceTest[] = [
  test(
    'routes',
    'every endpoint in the table of the specification exists and succeeds',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      for (const endpoint of endpoints) {
        const response = await callEndpoint(context, app, endpoint);
        expect(
          response.status >= 200 && response.status < 300,
          `success of ${endpoint.name}`,
          response.status,
        );
        const shape = endpoint.shape?.(context);
        if (shape !== undefined) expectShape(response.request, jsonOf(response), shape);
      }
    },
  ),

  ...SCOPES.map((scope) =>
    test(
      `scope-${scope.replace(':', '-')}`,
      `a token with only ${scope} gives access to exactly the endpoints that the table lists for it`,
      async (context) => {
        const app = await context.connected({ app: context.spareApp, changes: { scope } });
        for (const endpoint of endpoints) {
          const response = await callEndpoint(context, app, endpoint);
          if (endpoint.scopes.includes(scope)) {
            expect(
              response.status < 300,
              `${endpoint.name} to be accessible with ${scope}`,
              response.status,
            );
          } else {
            expectError(response, 403, 'insufficient_scope', endpoint.scopes[0]);
          }
        }
      },
    ),
  ),

  test('scope-none', 'a token without a read scope gives access to nothing', async (context) => {
    const app = await context.approved({
      app: context.spareApp,
      changes: { scope: 'openid offline_access' },
    });
    for (const endpoint of endpoints) {
      const response = await callEndpoint(context, app, endpoint);
      expectRefusal(response);
      // The server may report the missing connection before the missing scope, except on POST
      // /connection, which needs no connection.
      if (endpoint.name !== 'POST /connection') continue;
      const body = jsonOf(response);
      expect(isObject(body), 'an error', body);
      expectStatus(response, 403);
      expectSame('error', body['error'], 'insufficient_scope');
      expect(
        endpoint.scopes.some((scope) => scope === body['scope']),
        'one of the two scopes',
        body['scope'],
      );
    }
  }),

  test(
    'token-needed',
    'without a token, every endpoint returns 401 invalid_token',
    async (context) => {
      for (const endpoint of endpoints) {
        const { method, path } = endpoint;
        expectError(await context.anonymous(method, path(context)), 401, 'invalid_token');
      }
    },
  ),

  test('token-in-header', 'the token is read only from Authorization: Bearer', async (context) => {
    const app = await context.sharedConnection();
    const token = app.tokens.accessToken;
    const query = new URLSearchParams({ access_token: token }).toString();
    expectRefusal(await context.anonymous('GET', `/connection?${query}`));
    for (const authorization of [token, `Basic ${token}`, `Token ${token}`, `Bearer ${token}x`]) {
      const response = await context.anonymous('GET', '/connection', {
        Authorization: authorization,
      });
      expectError(response, 401, 'invalid_token');
    }
    expectStatus(await app.get('/connection'), 200);
  }),
];
