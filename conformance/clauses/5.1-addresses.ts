import { type Context, tokensOf } from '../context.ts';
import { type ConformanceTest, testsOf } from '../definition.ts';
import { expect, expectBody, expectSame, expectStatus } from '../expect.ts';
import { connection } from '../resources.ts';
import { array, object, optional, type Static, string, uri } from '../shape.ts';
import { redirectOf } from '../authorization-answer.ts';

const test = testsOf('5.1');

/** RFC 8414 2 */
const serverMetadata = object({
  issuer: uri,
  authorization_endpoint: uri,
  token_endpoint: uri,
  revocation_endpoint: uri,
  scopes_supported: optional(array(string)),
  response_types_supported: array(string),
  grant_types_supported: optional(array(string)),
  code_challenge_methods_supported: array(string),
  token_endpoint_auth_methods_supported: optional(array(string)),
});

/** RFC 9728 2 */
const resourceMetadata = object({
  resource: uri,
  authorization_servers: array(uri),
  scopes_supported: optional(array(string)),
  bearer_methods_supported: optional(array(string)),
});

async function serverDocument(context: Context): Promise<Static<typeof serverMetadata>> {
  const url = `${context.target.authUrl}/.well-known/oauth-authorization-server`;
  return expectBody(await context.send({ method: 'GET', url }), 200, serverMetadata);
}

async function resourceDocument(context: Context): Promise<Static<typeof resourceMetadata>> {
  const url = context.target.metadataUrl;
  return expectBody(await context.send({ method: 'GET', url }), 200, resourceMetadata);
}

export const tests: readonly ConformanceTest[] = [
  test(
    'server-metadata',
    'the authorization server’s document names the addresses of the table',
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
      expectSame('revocation_endpoint', document.revocation_endpoint, `${authUrl}/oauth2/revoke`);
    },
  ),

  test(
    'server-abilities',
    'it offers the code flow, S256 alone, and the two grants',
    async (context) => {
      const document = await serverDocument(context);
      expectSame('response_types_supported', document.response_types_supported, ['code']);
      expectSame('code_challenge_methods_supported', document.code_challenge_methods_supported, [
        'S256',
      ]);
      expectSame('grant_types_supported', document.grant_types_supported?.toSorted(), [
        'authorization_code',
        'refresh_token',
      ]);
      const methods = document.token_endpoint_auth_methods_supported ?? [];
      expect(
        methods.includes('client_secret_basic'),
        'client_secret_basic among the methods',
        methods,
      );
    },
  ),

  test(
    'resource-metadata',
    'the protected resource’s document names {base_url} and {auth_url}',
    async (context) => {
      const document = await resourceDocument(context);
      expectSame('resource', document.resource, context.target.baseUrl);
      expectSame('authorization_servers', document.authorization_servers, [context.target.authUrl]);
    },
  ),

  test('authorization-address', 'the authorization address takes a request', async (context) => {
    const oauth = context.oauth();
    const url = redirectOf(await oauth.open(oauth.request()));
    expectSame('error for a good request', url.searchParams.get('error'), null);
  }),

  test(
    'token-and-revocation',
    'the token and revocation addresses take requests',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const { refreshToken } = app.tokens;
      expect(refreshToken !== null, 'a refresh token', null);
      const tokens = tokensOf(await app.oauth.refresh(refreshToken));
      const answer = await context.caller(app.app, tokens).get('/connection');
      expectBody(answer, 200, connection);
      expectStatus(await app.oauth.revoke('an-unknown-token'), 200);
    },
  ),

  test(
    'resource-carried',
    'a request with {base_url} as its resource is served, one without it is not',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request();
      const code = await context.code(request);
      const without = await oauth.exchange(code, request, { resource: null });
      expect(
        without.status >= 400,
        'a refusal of a token request without resource',
        without.status,
      );
      expectStatus(await oauth.exchange(code, request), 200);
    },
  ),
];
