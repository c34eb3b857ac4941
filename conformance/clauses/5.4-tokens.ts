import type { Caller, Tokens } from '../caller.ts';
import { type Context, tokensOf } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import {
  expect,
  expectBody,
  expectError,
  expectOAuthError,
  expectRefusal,
  expectSame,
  expectStatus,
  isObject,
  jsonOf,
  NotRun,
} from '../expect.ts';
import { connection } from '../resources.ts';

const test = testFactory('5.4');

/** The lifetimes of tokens (spec 5.4, 8). */
const ACCESS_SECONDS = 15 * 60;
const REFRESH_SECONDS = 90 * 24 * 60 * 60;
/** Time for a test's requests on a slow target. */
const MARGIN_SECONDS = 60;

function refreshTokenOf({ tokens }: Pick<Caller, 'tokens'>): string {
  expect(tokens.refreshToken !== null, 'a refresh token', null);
  return tokens.refreshToken;
}

async function refreshed(app: Caller, refreshToken: string): Promise<Tokens> {
  const response = await app.oauth.refresh(refreshToken);
  expectStatus(response, 200);
  return tokensOf(response);
}

async function expectAccepted(context: Context, app: Caller, tokens: Tokens): Promise<void> {
  const response = await context.caller(app.app, tokens).get('/connection');
  expectBody(response, 200, connection);
}

export const tests: readonly ConformanceTest[] = [
  test(
    'refresh',
    'a refresh returns a new access token that expires in 900 seconds',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const response = await app.oauth.refresh(refreshTokenOf(app));
      expectStatus(response, 200);
      const body = jsonOf(response);
      expectSame('expires_in', isObject(body) ? body['expires_in'] : null, ACCESS_SECONDS);
      expectSame('token_type', isObject(body) ? body['token_type'] : null, 'Bearer');
      const tokens = tokensOf(response);
      expect(tokens.accessToken !== app.tokens.accessToken, 'another access token', 'the same');
      await expectAccepted(context, app, tokens);
    },
  ),

  test('rotates', 'every refresh returns a new refresh token', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const seen = new Set([refreshTokenOf(app)]);
    let current = refreshTokenOf(app);
    for (let count = 0; count < 3; count++) {
      const tokens = await refreshed(app, current);
      current = refreshTokenOf({ tokens });
      seen.add(current);
    }
    expectSame('the number of different refresh tokens', seen.size, 4);
  }),

  test('rotated-is-spent', 'a rotated refresh token no longer works', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const first = refreshTokenOf(app);
    await refreshed(app, first);
    expectOAuthError(await app.oauth.refresh(first), 400, 'invalid_grant');
  }),

  test('refresh-needs-app', 'a refresh token works only for its own app', async (context) => {
    const app = await context.connected({ app: context.secondApp });
    const token = refreshTokenOf(app);
    expectOAuthError(await context.oauth().refresh(token), 400, 'invalid_grant');
  }),

  test('bearer', 'the access token works as Authorization: Bearer', async (context) => {
    const app = await context.sharedConnection();
    await expectAccepted(context, app, app.tokens);
  }),

  test(
    'refresh-token-is-no-access-token',
    'a refresh token is not accepted as an access token',
    async (context) => {
      const app = await context.sharedConnection();
      const response = await context.unknownCaller(refreshTokenOf(app)).get('/connection');
      expectError(response, 401, 'invalid_token');
    },
  ),

  test(
    'audience',
    'a token for another audience (an id_token) gets 401 invalid_token',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request({ scope: 'openid profile inventory:read' });
      const response = await oauth.exchange(await context.code(request), request);
      expectStatus(response, 200);
      const body = jsonOf(response);
      const idToken = isObject(body) ? body['id_token'] : undefined;
      if (typeof idToken !== 'string') throw new NotRun('the target issues no id_token for openid');
      expectError(await context.unknownCaller(idToken).get('/connection'), 401, 'invalid_token');
    },
  ),

  test(
    'other-resource',
    'a token for another resource is not issued, or is refused with 401',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const token = refreshTokenOf(app);
      for (const resource of ['https://other.example/v1', `${context.target.baseUrl}/cards`]) {
        const response = await app.oauth.refresh(token, { resource });
        if (response.status === 200) {
          const other = context.caller(app.app, tokensOf(response));
          expectError(await other.get('/connection'), 401, 'invalid_token');
        } else {
          expectRefusal(response);
          expect(!response.text.includes('access_token'), 'no access_token in the response', 'one');
        }
      }
    },
  ),

  test(
    'access-expires',
    'an access token is valid for 15 minutes, then it gets 401 invalid_token',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      await context.advance(ACCESS_SECONDS - MARGIN_SECONDS);
      expectBody(await app.get('/connection'), 200, connection);
      await context.advance(MARGIN_SECONDS);
      expectError(await app.get('/connection'), 401, 'invalid_token');
      await expectAccepted(context, app, await refreshed(app, refreshTokenOf(app)));
    },
    { movesClock: true },
  ),

  test(
    'refresh-lives',
    'a refresh token is valid for 90 days, and the token from a refresh for another 90 days',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      await context.advance(REFRESH_SECONDS - MARGIN_SECONDS);
      const tokens = await refreshed(app, refreshTokenOf(app));
      await expectAccepted(context, app, tokens);
      // The next refresh token has the same lifetime.
      await context.advance(REFRESH_SECONDS - MARGIN_SECONDS);
      const last = await refreshed(app, refreshTokenOf({ tokens }));
      await context.advance(REFRESH_SECONDS);
      const late = await app.oauth.refresh(refreshTokenOf({ tokens: last }));
      expectOAuthError(late, 400, 'invalid_grant');
    },
    { movesClock: true },
  ),
];
