import { expectPageOrRedirect } from '../authorization-response.ts';
import { headerOf } from '../response.ts';
import { type Context, tokensOf } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectSame, expectStatus } from '../expect.ts';
import { connection } from '../resources.ts';
import { array, object, optional, type ShapeValue, string, uri } from '../shape.ts';

const test = testFactory('5.1');

/** RFC 8414 §2 */
const serverMetadata = object({
  issuer: uri,
  authorization_endpoint: uri,
  token_endpoint: uri,
  revocation_endpoint: optional(uri),
  scopes_supported: optional(array(string)),
  response_types_supported: array(string),
  grant_types_supported: optional(array(string)),
  code_challenge_methods_supported: optional(array(string)),
  token_endpoint_auth_methods_supported: optional(array(string)),
});

/** RFC 9728 §2 */
const resourceMetadata = object({
  resource: uri,
  authorization_servers: array(uri),
  scopes_supported: optional(array(string)),
  bearer_methods_supported: optional(array(string)),
});

async function serverDocument(context: Context): Promise<ShapeValue<typeof serverMetadata>> {
  const url = `${context.target.authUrl}/.well-known/oauth-authorization-server`;
  return expectBody(await context.send({ method: 'GET', url }), 200, serverMetadata);
}

async function resourceDocument(context: Context): Promise<ShapeValue<typeof resourceMetadata>> {
  const url = context.target.metadataUrl;
  return expectBody(await context.send({ method: 'GET', url }), 200, resourceMetadata);
}

export const tests: readonly ConformanceTest[] = [
  test(
    'server-metadata',
    'the authorization server’s metadata has the addresses of the table',
    async (context) => {
      const document = await serverDocument(context);
      const { authUrl } = context.target;
      expectSame('issuer', document.issuer, authUrl);
      expectSame(
        'authorization_endpoint',
        document.authorization_endpoint,
        `${authUrl}/oauth2/authorize`,
      );
      expectSame('token_endpoint', document.token_endpoint, `${authUrl}/oauth2/token`);
      const revocation = document.revocation_endpoint ?? `${authUrl}/oauth2/revoke`;
      expectSame('revocation_endpoint', revocation, `${authUrl}/oauth2/revoke`);
    },
  ),

  test(
    'server-abilities',
    'the authorization server’s metadata lists the code flow, only S256, the two grants and Basic',
    async (context) => {
      const document = await serverDocument(context);
      const types = document.response_types_supported;
      expect(types.includes('code'), 'the response type code', types);
      // RFC 8414 makes the other members optional, so they are checked only when present.
      const challenges = document.code_challenge_methods_supported ?? ['S256'];
      expectSame('code_challenge_methods_supported', challenges, ['S256']);
      const grants = document.grant_types_supported;
      for (const grant of ['authorization_code', 'refresh_token']) {
        expect(grants?.includes(grant) ?? true, `${grant} among the grants`, grants);
      }
      const methods = document.token_endpoint_auth_methods_supported;
      expect(methods?.includes('client_secret_basic') ?? true, 'client_secret_basic', methods);
    },
  ),

  test(
    'resource-metadata',
    'the protected resource’s metadata has {base_url} and {auth_url}',
    async (context) => {
      const document = await resourceDocument(context);
      expectSame('resource', document.resource, context.target.baseUrl);
      expectSame('authorization_servers', document.authorization_servers, [context.target.authUrl]);
    },
  ),

  test('authorization-address', 'the authorization endpoint accepts a request', async (context) => {
    const oauth = context.oauth();
    const response = await oauth.open(oauth.request());
    expectPageOrRedirect(response);
    expect(
      response.status >= 200 && response.status < 400,
      'a page, or a redirect',
      response.status,
    );
    const location = new URL(headerOf(response, 'location') ?? '/', context.target.authUrl);
    expectSame('error for a valid request', location.searchParams.get('error'), null);
  }),

  test(
    'token-and-revocation',
    'the token and revocation endpoints accept requests',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const { refreshToken } = app.tokens;
      expect(refreshToken !== null, 'a refresh token', null);
      const tokens = tokensOf(await app.oauth.refresh(refreshToken));
      const response = await context.caller(app.app, tokens).get('/connection');
      expectBody(response, 200, connection);
      expectStatus(await app.oauth.revoke(tokens.accessToken), 200);
    },
  ),

  test(
    'resource-carried',
    'a request with {base_url} as its resource succeeds',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request();
      const response = await oauth.exchange(await context.code(request), request);
      expectStatus(response, 200);
      const app = context.caller(context.shop.apps.main, tokensOf(response));
      await app.post('/connection');
      expectBody(await app.get('/connection'), 200, connection);
    },
  ),
];
