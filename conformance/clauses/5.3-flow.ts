import { createHash, randomBytes } from 'node:crypto';
import { headerOf } from '../response.ts';
import { expectPageOrRedirect, expectNoCodeFor } from '../authorization-response.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import {
  expect,
  expectBody,
  expectOAuthError,
  expectRefusal,
  expectSame,
  expectStatus,
  expectSuccess,
} from '../expect.ts';
import { basicAuthorization } from '../oauth.ts';
import { wrongRedirectUris } from '../redirect-uris.ts';
import { connection } from '../resources.ts';
import { integer, object, oneOf, string, nonEmptyString } from '../shape.ts';

const test = testFactory('5.3');

/** The response of step 4 when the scope includes `offline_access`. */
const tokenResponse = object({
  access_token: nonEmptyString,
  refresh_token: nonEmptyString,
  token_type: oneOf('Bearer'),
  expires_in: integer(1),
  scope: string,
});

export const tests: readonly ConformanceTest[] = [
  test(
    'returns',
    'the browser returns to redirect_uri with a code and the state of the request',
    async (context) => {
      const request = context.oauth().request();
      const url = await context.approve(request);
      expectSame(
        'the address that the browser returned to',
        `${url.origin}${url.pathname}`,
        context.shop.apps.main.redirectUri,
      );
      expect((url.searchParams.get('code') ?? '') !== '', 'a code', [...url.searchParams.keys()]);
      expectSame('state', url.searchParams.get('state'), request.state);
    },
  ),

  test('state-as-sent', 'state is returned unchanged', async (context) => {
    const state = 'a b&c=d%20+/?#"<>';
    const url = await context.approve(context.oauth().request({ state }));
    expectSame('state', url.searchParams.get('state'), state);
  }),

  test(
    'denied',
    'when the member denies, the browser returns with access_denied and state',
    async (context) => {
      const request = context.oauth(context.spareApp).request();
      const url = await context.control.deny(request.url, context.shop.members.owner);
      expect(url !== null, 'the browser to be redirected', 'a page');
      expectSame('error', url.searchParams.get('error'), 'access_denied');
      expectSame('state', url.searchParams.get('state'), request.state);
      expectSame('code', url.searchParams.get('code'), null);
    },
  ),

  test(
    'nobody-signed-in',
    'the authorization endpoint issues no code before sign-in',
    async (context) => {
      const oauth = context.oauth();
      const response = await oauth.open(oauth.request());
      const location = headerOf(response, 'location');
      const isPage = (headerOf(response, 'content-type') ?? '').startsWith('text/html');
      expect(location !== null || isPage, 'a page, or a redirect to a page', response.text);
      expect(!(location ?? '').includes('code='), 'no code in the redirect', 'one');
    },
  ),

  test(
    'token-answer',
    'the exchange returns access_token, refresh_token, token_type Bearer, expires_in 900 and scope',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request();
      const response = await oauth.exchange(await context.code(request), request);
      const body = expectBody(response, 200, tokenResponse);
      expectSame('expires_in', body.expires_in, 900);
      expectSame('scope', body.scope.split(' ').toSorted(), [
        'inventory:read',
        'offline_access',
        'purchase-boosts:read',
      ]);
    },
  ),

  test('basic-encoded', 'credentials are url-encoded before base64', async (context) => {
    const oauth = context.oauth();
    const request = oauth.request();
    const { clientId, clientSecret } = context.shop.apps.main;
    // `_` may be escaped too (RFC 3986 §2.3): a server must decode before it compares.
    const escaped = [clientId, clientSecret].map((text) =>
      encodeURIComponent(text).replaceAll('_', '%5F'),
    );
    const Authorization = `Basic ${Buffer.from(escaped.join(':')).toString('base64')}`;
    const response = await oauth.exchange(
      await context.code(request),
      request,
      {},
      { Authorization },
    );
    expectBody(response, 200, tokenResponse);
  }),

  test('wrong-secret', 'a wrong client secret is refused', async (context) => {
    const oauth = context.oauth();
    const request = oauth.request();
    const code = await context.code(request);
    const { clientId, clientSecret } = context.shop.apps.main;
    const Authorization = basicAuthorization(clientId, `${clientSecret}x`);
    const refused = await oauth.exchange(code, request, {}, { Authorization });
    expectRefusal(refused);
    expect(!refused.text.includes('access_token'), 'no access_token in the response', 'one');
  }),

  test('verifier', 'a wrong or missing code_verifier gives no tokens', async (context) => {
    const oauth = context.oauth();
    for (const verifier of [randomBytes(32).toString('base64url'), null]) {
      const request = oauth.request();
      const code = await context.code(request);
      const response = await oauth.exchange(code, request, { code_verifier: verifier });
      expectStatus(response, 400);
      expect(!response.text.includes('access_token'), 'no access_token in the response', 'one');
    }
  }),

  test(
    'challenge-is-hash',
    'the challenge is a SHA-256 hash: the challenge itself does not work as code_verifier',
    async (context) => {
      const oauth = context.oauth();
      const codeVerifier = randomBytes(32).toString('base64url');
      const challenge = createHash('sha256').update(codeVerifier).digest('base64url');
      const request = oauth.request({ code_challenge: challenge });
      const code = await context.code(request);
      const response = await oauth.exchange(code, request, { code_verifier: challenge });
      expectStatus(response, 400);
    },
  ),

  test(
    'redirect-uri',
    'the redirect_uri of the exchange must equal the one in the authorization request',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request();
      const code = await context.code(request);
      const redirectUri = `${context.shop.apps.main.redirectUri}/other`;
      expectStatus(await oauth.exchange(code, request, { redirect_uri: redirectUri }), 400);
    },
  ),

  test(
    'redirect-uri-registered',
    'the browser is never redirected to an unregistered redirect_uri, and no code is issued',
    async (context) => {
      const oauth = context.oauth();
      for (const { wrong, uri } of wrongRedirectUris(context.shop.apps.main.redirectUri)) {
        await expectNoCodeFor(wrong, uri, context, oauth);
      }
    },
  ),

  test('code-once', 'a code works only once', async (context) => {
    const oauth = context.oauth();
    const request = oauth.request();
    const code = await context.code(request);
    expectStatus(await oauth.exchange(code, request), 200);
    expectOAuthError(await oauth.exchange(code, request), 400, 'invalid_grant');
  }),

  test(
    'code-of-another-app',
    'a code works only for the app that it was issued to',
    async (context) => {
      const request = context.oauth().request();
      const code = await context.code(request);
      const other = await context.oauth(context.secondApp).exchange(code, request);
      expectOAuthError(other, 400, 'invalid_grant');
    },
  ),

  test('invented-code', 'an invented code is refused', async (context) => {
    const oauth = context.oauth();
    const response = await oauth.exchange('no-code-of-anybody', oauth.request());
    expectOAuthError(response, 400, 'invalid_grant');
  }),

  test(
    'then-connection',
    'after POST /connection with the access token, every call works',
    async (context) => {
      const app = await context.approved();
      expectSuccess(await app.post('/connection'));
      expectBody(await app.get('/connection'), 200, connection);
    },
  ),

  test(
    'unknown-client',
    'a request with an unknown client_id is never redirected to the app',
    async (context) => {
      const oauth = context.oauth();
      const response = await oauth.open(oauth.request({ client_id: 'app_of_nobody' }));
      const { origin } = new URL(context.target.authUrl);
      expectPageOrRedirect(response);
      const location = new URL(headerOf(response, 'location') ?? origin, origin);
      expectSame('the redirect target', location.origin, origin);
    },
  ),
];
