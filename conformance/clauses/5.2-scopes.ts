import { expectRefused } from '../authorization-response.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectSame } from '../expect.ts';
import { ALL_SCOPES, type AuthorizationRequest, type OAuthClient } from '../oauth.ts';

const test = testFactory('5.2');

/** Expects `invalid_scope`, which the server may return before or after sign-in. */
async function expectInvalidScope(
  context: Context,
  oauth: OAuthClient,
  request: AuthorizationRequest,
): Promise<void> {
  const parameters = await expectRefused(context, oauth, request);
  expectSame('error in the redirect', parameters?.get('error') ?? null, 'invalid_scope');
  expectSame('state in the redirect', parameters?.get('state') ?? null, request.state);
}

function words(scope: string): readonly string[] {
  return scope.split(' ').toSorted();
}

export const tests: readonly ConformanceTest[] = [
  test('all-five', 'the five scopes can be requested together', async (context) => {
    const app = await context.approved({ changes: { scope: ALL_SCOPES } });
    expectSame('the scope of the tokens', words(app.tokens.scope), words(ALL_SCOPES));
  }),

  test(
    'no-offline-access',
    'without offline_access no refresh token is issued',
    async (context) => {
      const app = await context.approved({ changes: { scope: 'inventory:read' } });
      expectSame('refresh_token', app.tokens.refreshToken, null);
    },
  ),

  test('offline-access', 'with offline_access a refresh token is issued', async (context) => {
    const app = await context.approved({ changes: { scope: 'offline_access inventory:read' } });
    const { refreshToken, scope } = app.tokens;
    expect(refreshToken !== null, 'a refresh_token', null);
    expectSame('the scope', words(scope), ['inventory:read', 'offline_access']);
  }),

  test(
    'not-allowed',
    'a scope that the shop did not allow fails with invalid_scope',
    async (context) => {
      const oauth = context.oauth(context.narrowApp);
      for (const scope of [
        'inventory:read',
        'offline_access inventory:read purchase-boosts:read',
      ]) {
        const request = oauth.request({ scope });
        await expectInvalidScope(context, oauth, request);
      }
    },
  ),

  test('allowed', 'a scope that the shop allowed does not fail', async (context) => {
    const app = await context.approved({
      app: context.narrowApp,
      changes: { scope: context.narrowApp.scopes.join(' ') },
    });
    expectSame('the scope', words(app.tokens.scope), context.narrowApp.scopes.toSorted());
  }),

  test('unknown', 'an unknown scope fails with invalid_scope', async (context) => {
    const oauth = context.oauth();
    for (const scope of ['inventory:write', 'inventory:read everything']) {
      const request = oauth.request({ scope });
      await expectInvalidScope(context, oauth, request);
    }
  }),
];
