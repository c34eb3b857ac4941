import { tokensOf } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expectAuthorizationError, redirectOf } from '../authorization-response.ts';
import { headerOf } from '../response.ts';
import { expect, expectOAuthError, expectSame, expectStatus, isObject, jsonOf } from '../expect.ts';
import { ALL_SCOPES, basicAuthorization } from '../oauth.ts';
import { wrongRedirectUris } from '../redirect-uris.ts';

const test = testFactory('D8');

export const tests: readonly ConformanceTest[] = [
  test(
    'refused-at-once',
    'an invalid request is reported by a redirect with state, before sign-in',
    async (context) => {
      const oauth = context.oauth();
      for (const [changes, error] of [
        [{ scope: 'no-such-scope' }, 'invalid_scope'],
        [{ code_challenge: null, code_challenge_method: null }, 'invalid_request'],
        [{ code_challenge_method: 'plain' }, 'invalid_request'],
        [{ response_type: 'code token' }, 'unsupported_response_type'],
      ] as const) {
        const request = oauth.request(changes);
        expectAuthorizationError(await oauth.open(request), request, error);
      }
    },
  ),

  test(
    'error-page',
    'an unregistered app or redirect_uri is reported on a page, without a Location',
    async (context) => {
      const oauth = context.oauth();
      for (const changes of [
        { client_id: 'app_of_nobody' },
        ...wrongRedirectUris(context.shop.apps.main.redirectUri).map(({ uri }) => ({
          redirect_uri: uri,
        })),
      ]) {
        const response = await oauth.open(oauth.request(changes));
        expect(response.status >= 400, 'an error page', response.status);
        expectSame('Location', headerOf(response, 'location'), null);
      }
    },
  ),

  test(
    'sign-in-elsewhere',
    'a valid request is redirected to the sign-in page',
    async (context) => {
      const oauth = context.oauth();
      const url = redirectOf(await oauth.open(oauth.request()));
      expectSame(
        'the origin of the redirect target',
        url.origin,
        new URL(context.target.authUrl).origin,
      );
    },
  ),

  test(
    'state-of-any-characters',
    'state may contain any characters, and is returned unchanged',
    async (context) => {
      const state = 'é竜';
      const url = await context.approve(context.oauth().request({ state }));
      expectSame('state', url.searchParams.get('state'), state);
    },
  ),

  test(
    'not-spent',
    'a refused exchange or refresh does not invalidate the code or token',
    async (context) => {
      const oauth = context.oauth(context.secondApp);
      const request = oauth.request();
      const code = await context.code(request);
      const { clientId, clientSecret } = context.secondApp;
      for (const Authorization of [null, basicAuthorization(clientId, `${clientSecret}x`)]) {
        const refused = await oauth.exchange(code, request, {}, { Authorization });
        expectOAuthError(refused, 401, 'invalid_client');
      }
      const response = await oauth.exchange(code, request);
      expectStatus(response, 200);
      const refreshToken = tokensOf(response).refreshToken ?? '';
      expectOAuthError(await context.oauth().refresh(refreshToken), 400, 'invalid_grant');
      expectStatus(await oauth.refresh(refreshToken), 200);
    },
  ),

  test(
    'metadata-alone',
    'the metadata lists the revocation endpoint, and only the code flow and its two grants',
    async (context) => {
      const { authUrl } = context.target;
      const url = `${authUrl}/.well-known/oauth-authorization-server`;
      const response = await context.send({ method: 'GET', url });
      const metadata = jsonOf(response);
      expect(isObject(metadata), 'an object', metadata);
      const grants = metadata['grant_types_supported'];
      expectSame('the response types', metadata['response_types_supported'], ['code']);
      expectSame('the grants', Array.isArray(grants) ? grants.map(String).toSorted() : grants, [
        'authorization_code',
        'refresh_token',
      ]);
      const revocation = metadata['revocation_endpoint'];
      expectSame('revocation_endpoint', revocation, `${authUrl}/oauth2/revoke`);
    },
  ),

  test(
    'metadata-scopes',
    'the metadata lists the five scopes, and S256 as the only challenge method',
    async (context) => {
      const url = `${context.target.authUrl}/.well-known/oauth-authorization-server`;
      const response = await context.send({ method: 'GET', url });
      expectStatus(response, 200);
      const metadata = jsonOf(response);
      const listed = (name: string): unknown => {
        const value = isObject(metadata) ? metadata[name] : undefined;
        return Array.isArray(value) ? value.map(String).toSorted() : value;
      };
      expectSame('the scopes', listed('scopes_supported'), ALL_SCOPES.split(' ').toSorted());
      expectSame('the PKCE methods', listed('code_challenge_methods_supported'), ['S256']);
    },
  ),
];
