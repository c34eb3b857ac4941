import { type ConformanceTest, testFactory } from '../definition.ts';
import { expectError } from '../expect.ts';

const test = testFactory('D3');

/** One byte more than the maximum body. */
const TOO_LARGE = 'x'.repeat(16 * 1024 + 1);

export const tests: readonly ConformanceTest[] = [
  test(
    'order-outside',
    'the method is checked before the token, and a disabled app before its connection',
    async (context) => {
      expectError(await context.anonymous('PATCH', '/connection'), 405, 'method_not_allowed');
      const app = await context.connected({ app: context.spareApp });
      await context.control.endConnection(context.spareApp.clientId);
      await context.control.disableApp(context.spareApp.clientId);
      try {
        expectError(await app.get('/connection'), 403, 'client_disabled');
      } finally {
        await context.control.enableApp(context.spareApp.clientId);
      }
      expectError(await app.get('/connection'), 403, 'connection_revoked');
    },
  ),

  test(
    'order-of-bodies',
    'scope and connection are checked before the size and the type of a body',
    async (context) => {
      const app = await context.sharedConnection({
        app: context.narrowApp,
        changes: { scope: context.narrowApp.scopes.join(' ') },
      });
      for (const [type, body] of [
        ['application/json', TOO_LARGE],
        ['text/plain', 'x'],
        ['application/json', '{'],
      ] as const) {
        const response = await app.call('PUT', '/webhook', {
          headers: { 'Content-Type': type },
          body,
        });
        expectError(response, 403, 'insufficient_scope', 'inventory:read');
      }
    },
  ),
];
