import { createPublicKey, randomBytes, verify } from 'node:crypto';
import type { HttpResponse } from '../response.ts';
import { type Context, tokensOf } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { callEndpoint, endpoints } from '../endpoints.ts';
import {
  expect,
  expectHeader,
  expectOAuthError,
  expectSame,
  expectStatus,
  isObject,
  jsonOf,
} from '../expect.ts';

const test = testFactory('D8');

/** A refresh with an Idempotency-Key can be repeated for this long. */
const REPLAY_SECONDS = 7 * 24 * 60 * 60;
const MARGIN_SECONDS = 60;

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown, what: string): Members {
  expect(isObject(value), what, value);
  return value;
}

async function metadataOf(context: Context, url: string): Promise<Members> {
  const response = await context.send({ method: 'GET', url });
  expectStatus(response, 200);
  return membersOf(jsonOf(response), 'a metadata document');
}

async function serverMetadata(context: Context): Promise<Members> {
  const { authUrl } = context.target;
  return await metadataOf(context, `${authUrl}/.well-known/oauth-authorization-server`);
}

function decoded(part: string): Members {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    value = part;
  }
  return membersOf(value, 'each part of the id_token to be a JSON object in base64url');
}

/**
 * Returns the claims of an id_token after verifying it with a key of `jwks_uri` (RFC 7515, RFC
 * 7517).
 */
async function verifiedClaims(context: Context, idToken: string): Promise<Members> {
  const [head = '', claims = '', signature = ''] = idToken.split('.');
  const { alg, kid } = decoded(head);
  const { jwks_uri: address } = await serverMetadata(context);
  const { keys } = await metadataOf(context, String(address));
  const key: unknown = Array.isArray(keys)
    ? keys.find((each: unknown) => isObject(each) && each['kid'] === kid)
    : undefined;
  const jwk = membersOf(key, `the key ${String(kid)} at jwks_uri`);
  const isElliptic = String(alg).startsWith('ES');
  const isSigned = verify(
    alg === 'EdDSA' ? null : `sha${String(alg).slice(2)}`,
    Buffer.from(`${head}.${claims}`),
    {
      key: createPublicKey({ key: { ...jwk }, format: 'jwk' }),
      ...(isElliptic ? { dsaEncoding: 'ieee-p1363' } : {}),
    },
    Buffer.from(signature, 'base64url'),
  );
  expect(isSigned, 'an id_token signed by its key', alg);
  return decoded(claims);
}

export const tests: readonly ConformanceTest[] = [
  test(
    'id-token',
    'the id_token is signed with a key of jwks_uri and names issuer, app and member',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request({ scope: 'openid profile inventory:read' });
      const response = await oauth.exchange(await context.code(request), request);
      const body = membersOf(jsonOf(response), 'a token response');
      const claims = await verifiedClaims(context, String(body['id_token']));
      const { clientId } = context.shop.apps.main;
      const actual = [claims['iss'], claims['aud'], claims['name']];
      const { name } = context.shop.members.owner;
      expectSame('iss, aud and name', actual, [context.target.authUrl, clientId, name]);
      const lives = Number(claims['exp']) * 1_000 > (await context.nowMs());
      expect(lives, 'an exp in the future', claims['exp']);
    },
  ),

  test(
    'redirect-uri-again',
    'a code can only be exchanged with the redirect_uri of its request (RFC 6749 4.1.3)',
    async (context) => {
      const oauth = context.oauth();
      for (const redirect_uri of [null, 'https://other.example/callback']) {
        const request = oauth.request();
        const response = await oauth.exchange(await context.code(request), request, {
          redirect_uri,
        });
        expectStatus(response, 400);
        expect(!response.text.includes('access_token'), 'no access_token in the response', 'one');
      }
    },
  ),

  test(
    'replay-ends',
    'a refresh with an Idempotency-Key can be repeated until the new refresh token is used, even after the access token was used',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const token = app.tokens.refreshToken ?? '';
      const headers = { 'Idempotency-Key': randomBytes(16).toString('hex') };
      const again = async (): Promise<HttpResponse> => await app.oauth.refresh(token, {}, headers);
      const first = await again();
      const tokens = tokensOf(first);
      expectStatus(await context.caller(app.app, tokens).get('/connection'), 200);
      expectSame('whether the two responses are equal', (await again()).text === first.text, true);
      expectStatus(await app.oauth.refresh(tokens.refreshToken ?? ''), 200);
      expectOAuthError(await again(), 400, 'invalid_grant');
    },
  ),

  test(
    'replay-lives',
    'a refresh with an Idempotency-Key can be repeated for 7 days',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const token = app.tokens.refreshToken ?? '';
      const headers = { 'Idempotency-Key': randomBytes(16).toString('hex') };
      const first = await app.oauth.refresh(token, {}, headers);
      expectStatus(first, 200);
      await context.advance(REPLAY_SECONDS - MARGIN_SECONDS);
      const again = await app.oauth.refresh(token, {}, headers);
      expectSame('whether the two responses are equal', again.text === first.text, true);
      await context.advance(MARGIN_SECONDS);
      expectOAuthError(await app.oauth.refresh(token, {}, headers), 400, 'invalid_grant');
    },
    { movesClock: true },
  ),

  test(
    'disabled-elsewhere',
    'a disabled app gets an error page from the authorization endpoint, and can still revoke',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      await context.control.disableApp(app.app.clientId);
      try {
        const page = await app.oauth.open(app.oauth.request());
        expect(page.status >= 400 && page.status < 500, 'an error page', page.status);
        expectHeader(page, 'location', null);
        expectStatus(await app.oauth.revoke(app.tokens.accessToken), 200);
      } finally {
        await context.control.enableApp(app.app.clientId);
      }
      const late = await app.oauth.refresh(app.tokens.refreshToken ?? '');
      expectOAuthError(late, 400, 'invalid_grant');
    },
  ),

  test(
    'error-description',
    'an error of the token endpoint has a description (RFC 6749 5.2)',
    async (context) => {
      const oauth = context.oauth();
      for (const response of [
        await oauth.refresh('none'),
        await oauth.refresh('none', { resource: null }),
        await oauth.refresh('none', {}, { Authorization: null }),
        await oauth.post('token', { grant_type: 'password' }),
      ]) {
        expect(response.status >= 400, 'an error', response.status);
        const { error_description: description } = membersOf(jsonOf(response), 'an error');
        expect(typeof description === 'string' && description !== '', 'a description', description);
      }
    },
  ),

  test(
    'challenge-everywhere',
    'the 401 of each endpoint links to the metadata document',
    async (context) => {
      const stranger = context.unknownCaller('no-token-of-anybody');
      const named = `resource_metadata="${context.target.metadataUrl}"`;
      for (const endpoint of endpoints) {
        const response = await callEndpoint(context, stranger, endpoint);
        expectStatus(response, 401);
        expectHeader(response, 'www-authenticate', `Bearer ${named}, error="invalid_token"`);
      }
    },
  ),

  test(
    'metadata-server',
    'the server’s metadata has issuer, jwks_uri, response mode and authentication methods',
    async (context) => {
      const metadata = await serverMetadata(context);
      for (const [name, value] of Object.entries({
        issuer: context.target.authUrl,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
        revocation_endpoint_auth_methods_supported: ['client_secret_basic'],
        authorization_response_iss_parameter_supported: true,
      })) {
        expectSame(name, metadata[name], value);
      }
      const { grant_types_supported: grants, jwks_uri: keys } = metadata;
      const listed = Array.isArray(grants) ? grants.map(String).toSorted() : grants;
      expectSame('the grant types', listed, ['authorization_code', 'refresh_token']);
      expect(URL.canParse(String(keys)), 'a jwks_uri', keys);
    },
  ),

  test(
    'metadata-resource',
    'the resource’s metadata lists its scopes and the bearer method header',
    async (context) => {
      const metadata = await metadataOf(context, context.target.metadataUrl);
      const { scopes_supported: scopes, bearer_methods_supported: methods } = metadata;
      const listed = Array.isArray(scopes) ? scopes.map(String).toSorted() : scopes;
      expectSame('the scopes', listed, ['inventory:read', 'purchase-boosts:read']);
      expectSame('the methods', methods, ['header']);
    },
  ),
];
