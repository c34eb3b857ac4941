import { randomBytes } from 'node:crypto';
import { headerOf } from '../response.ts';
import { expectAuthorizationError, redirectOf } from '../authorization-response.ts';
import { tokensOf } from '../context.ts';
import { connection } from '../resources.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import {
  expectBody,
  expect,
  expectError,
  expectHeader,
  expectOAuthError,
  expectSame,
  expectStatus,
} from '../expect.ts';

const test = testFactory('D8');

export const tests: readonly ConformanceTest[] = [
  test(
    'resource-at-authorize',
    'a request with a missing or wrong resource is redirected with invalid_target and state',
    async (context) => {
      const oauth = context.oauth();
      for (const resource of [null, 'https://other.example/v1', `${context.target.baseUrl}/`]) {
        const request = oauth.request({ resource });
        expectAuthorizationError(await oauth.open(request), request, 'invalid_target');
      }
    },
  ),

  test(
    'resource-at-exchange',
    'a wrong resource in the exchange gets 400 invalid_target, and the code stays valid',
    async (context) => {
      const oauth = context.oauth();
      const request = oauth.request();
      const code = await context.code(request);
      for (const resource of [null, 'https://other.example/v1']) {
        expectOAuthError(await oauth.exchange(code, request, { resource }), 400, 'invalid_target');
      }
      expectStatus(await oauth.exchange(code, request), 200);
    },
  ),

  test(
    'resource-at-refresh',
    'a wrong resource in a refresh gets 400 invalid_target, and the token stays valid',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const token = app.tokens.refreshToken ?? '';
      for (const resource of [null, 'https://other.example/v1']) {
        expectOAuthError(await app.oauth.refresh(token, { resource }), 400, 'invalid_target');
      }
      expectStatus(await app.oauth.refresh(token), 200);
    },
  ),

  test('issuer', 'the redirect with a code or an error has iss (RFC 9207)', async (context) => {
    const oauth = context.oauth();
    const approved = await context.approve(oauth.request());
    expectSame('iss with a code', approved.searchParams.get('iss'), context.target.authUrl);
    const refused = redirectOf(await oauth.open(oauth.request({ scope: 'no-such-scope' })));
    expectSame('iss with an error', refused.searchParams.get('iss'), context.target.authUrl);
  }),

  test('no-scope', 'an authorization request without a scope is invalid_scope', async (context) => {
    const oauth = context.oauth();
    const request = oauth.request({ scope: null });
    expectAuthorizationError(await oauth.open(request), request, 'invalid_scope');
  }),

  test(
    'client-authentication',
    'missing or wrong client credentials get 401 invalid_client with WWW-Authenticate: Basic',
    async (context) => {
      const oauth = context.oauth();
      for (const Authorization of [null, 'Basic bm9ib2R5Om5vdGhpbmc=', 'Bearer x']) {
        const response = await oauth.refresh('none', {}, { Authorization });
        expectOAuthError(response, 401, 'invalid_client');
        expectHeader(response, 'www-authenticate', /^Basic\b/);
      }
    },
  ),

  test('secret-in-body', 'credentials in the body are not accepted', async (context) => {
    const oauth = context.oauth();
    const { clientId, clientSecret } = context.shop.apps.main;
    const fields = { client_id: clientId, client_secret: clientSecret };
    const response = await oauth.refresh('none', fields, { Authorization: null });
    expectOAuthError(response, 401, 'invalid_client');
  }),

  test(
    'code-reuse-revokes',
    'the second use of a code revokes the tokens from the first use',
    async (context) => {
      const oauth = context.oauth(context.spareApp);
      const request = oauth.request();
      const code = await context.code(request);
      const first = await oauth.exchange(code, request);
      expectStatus(first, 200);
      const app = context.caller(context.spareApp, tokensOf(first));
      expectOAuthError(await oauth.exchange(code, request), 400, 'invalid_grant');
      expectError(await app.post('/connection'), 401, 'invalid_token');
      expectOAuthError(await oauth.refresh(app.tokens.refreshToken ?? ''), 400, 'invalid_grant');
    },
  ),

  test(
    'refresh-scope',
    'a refresh may ask for fewer scopes; a refresh for more scopes gets 400 invalid_scope, and the token stays valid',
    async (context) => {
      const app = await context.connected({
        app: context.spareApp,
        changes: { scope: 'offline_access inventory:read' },
      });
      const token = app.tokens.refreshToken ?? '';
      const more = { scope: 'offline_access inventory:read purchase-boosts:read' };
      expectOAuthError(await app.oauth.refresh(token, more), 400, 'invalid_scope');
      const fewer = await app.oauth.refresh(token, { scope: 'inventory:read' });
      expectStatus(fewer, 200);
      expectSame('scope', tokensOf(fewer).scope, 'inventory:read');
    },
  ),

  test(
    'reuse-forgiven',
    'when a refresh token is sent twice within 60 s, one request is refused and the approval stays valid',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const first = app.tokens.refreshToken ?? '';
      const taken = await app.oauth.refresh(first);
      expectStatus(taken, 200);
      expectOAuthError(await app.oauth.refresh(first), 400, 'invalid_grant');
      expectStatus(await app.oauth.refresh(tokensOf(taken).refreshToken ?? ''), 200);
    },
  ),

  test(
    'reuse-at-once',
    'of two concurrent refreshes with one token, exactly one succeeds',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const token = app.tokens.refreshToken ?? '';
      const answers = await Promise.all([app.oauth.refresh(token), app.oauth.refresh(token)]);
      expectSame(
        'the statuses',
        answers.map(({ status }) => status).toSorted((a, b) => a - b),
        [200, 400],
      );
    },
  ),

  test(
    'idempotent-refresh',
    'a refresh that is repeated with its Idempotency-Key gets the same response',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const token = app.tokens.refreshToken ?? '';
      const headers = { 'Idempotency-Key': randomBytes(16).toString('hex') };
      const answers = [
        await app.oauth.refresh(token, {}, headers),
        await app.oauth.refresh(token, {}, headers),
      ];
      for (const response of answers) expectStatus(response, 200);
      expectSame(
        'whether the two responses are equal',
        answers[0]?.text === answers[1]?.text,
        true,
      );
      const other = { 'Idempotency-Key': randomBytes(16).toString('hex') };
      expectOAuthError(await app.oauth.refresh(token, {}, other), 400, 'invalid_grant');
    },
  ),

  test(
    'revocation',
    'revoking an access or refresh token returns 200 with an empty body and ends the approval',
    async (context) => {
      for (const which of ['accessToken', 'refreshToken'] as const) {
        const app = await context.connected({ app: context.spareApp });
        const response = await app.oauth.revoke(app.tokens[which] ?? '');
        expectStatus(response, 200);
        expectSame('the body', response.text, '');
        expectError(await app.get('/connection'), 401, 'invalid_token');
        expectOAuthError(
          await app.oauth.refresh(app.tokens.refreshToken ?? ''),
          400,
          'invalid_grant',
        );
      }
    },
  ),

  test(
    'revocation-unknown',
    'revoking an unknown token or another app’s token returns 200 and ends nothing',
    async (context) => {
      const app = await context.connected({ app: context.secondApp });
      expectStatus(await app.oauth.revoke('an-unknown-token'), 200);
      expectStatus(await context.oauth().revoke(app.tokens.accessToken), 200);
      expectBody(await app.get('/connection'), 200, connection);
    },
  ),

  test('revocation-authenticates', 'revocation requires the app’s credentials', async (context) => {
    const app = await context.connected({ app: context.spareApp });
    const response = await app.oauth.revoke(app.tokens.accessToken, {}, { Authorization: null });
    expectOAuthError(response, 401, 'invalid_client');
    expectStatus(await app.get('/connection'), 200);
  }),

  test(
    'revocation-ends-connection',
    'revoking the last valid approval ends the connection',
    async (context) => {
      // End the approvals of earlier tests, which would keep the connection active.
      await context.connected({ app: context.spareApp });
      await context.control.endConnection(context.spareApp.clientId);
      const first = await context.connected({ app: context.spareApp });
      const second = await context.approved({ app: context.spareApp });
      expectStatus(await first.oauth.revoke(first.tokens.accessToken), 200);
      expectStatus(await second.get('/connection'), 200);
      expectStatus(await second.oauth.revoke(second.tokens.accessToken), 200);
      const third = await context.approved({ app: context.spareApp });
      expectError(await third.get('/connection'), 403, 'forbidden');
    },
  ),

  test(
    'disabled',
    'a refresh of a disabled app gets 400 unauthorized_client, and the token stays valid',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const token = app.tokens.refreshToken ?? '';
      await context.control.disableApp(context.spareApp.clientId);
      try {
        expectOAuthError(await app.oauth.refresh(token), 400, 'unauthorized_client');
      } finally {
        await context.control.enableApp(context.spareApp.clientId);
      }
      expectStatus(await app.oauth.refresh(token), 200);
    },
  ),

  test(
    'challenge',
    'a 401 links to the metadata document, and its challenge has an error only if a token was sent',
    async (context) => {
      const { metadataUrl } = context.target;
      const none = await context.anonymous('GET', '/connection');
      expectHeader(none, 'www-authenticate', `Bearer resource_metadata="${metadataUrl}"`);
      const bad = await context.unknownCaller('no-token-of-anybody').get('/connection');
      expectHeader(
        bad,
        'www-authenticate',
        `Bearer resource_metadata="${metadataUrl}", error="invalid_token"`,
      );
    },
  ),

  test(
    'scope-challenge',
    '403 for a missing scope names it in WWW-Authenticate',
    async (context) => {
      const app = await context.sharedConnection({
        app: context.narrowApp,
        changes: { scope: context.narrowApp.scopes.join(' ') },
      });
      const header = 'Bearer error="insufficient_scope", scope="inventory:read"';
      expectHeader(await app.get('/inventory/sites'), 'www-authenticate', header);
    },
  ),

  test(
    'metadata-inserted',
    'the metadata is also at the RFC 8414 address, which has the path after .well-known',
    async (context) => {
      const { origin, pathname } = new URL(context.target.authUrl);
      const addresses = [
        `${context.target.authUrl}/.well-known/oauth-authorization-server`,
        `${origin}/.well-known/oauth-authorization-server${pathname}`,
      ];
      const texts: string[] = [];
      for (const url of addresses) {
        const response = await context.send({ method: 'GET', url });
        expectStatus(response, 200);
        expect(response.text.includes('"issuer"'), 'the metadata document', response.text);
        texts.push(response.text);
      }
      expectSame('the two documents', texts[1], texts[0]);
    },
  ),

  test('openid', 'an id_token is issued only with the scope openid', async (context) => {
    const oauth = context.oauth();
    for (const scope of ['openid inventory:read', 'inventory:read']) {
      const request = oauth.request({ scope });
      const response = await oauth.exchange(await context.code(request), request);
      expectSame(
        `id_token for ${scope}`,
        response.text.includes('"id_token"'),
        scope.startsWith('openid'),
      );
    }
  }),

  test('form-only', 'the token endpoint accepts only forms and only POST', async (context) => {
    const oauth = context.oauth();
    const json = await oauth.refresh('none', {}, { 'Content-Type': 'application/json' });
    expect(json.status >= 400 && json.status < 500, 'a refusal of JSON', json.status);
    const url = `${context.target.authUrl}/oauth2/token`;
    const got = await context.send({ method: 'GET', url });
    expect(got.status >= 400 && got.status < 500, 'a refusal of GET', got.status);
    expect(
      headerOf(got, 'cache-control') === 'no-store',
      'no-store',
      headerOf(got, 'cache-control'),
    );
  }),

  test(
    'code-lives',
    'a code is valid for 60 seconds',
    async (context) => {
      const oauth = context.oauth(context.spareApp);
      const request = oauth.request();
      const code = await context.code(request);
      await context.advance(61);
      expectOAuthError(await oauth.exchange(code, request), 400, 'invalid_grant');
    },
    { movesClock: true },
  ),

  test(
    'late-reuse-revokes',
    'a refresh token that is used again after 60 seconds revokes the approval',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const first = app.tokens.refreshToken ?? '';
      const taken = await app.oauth.refresh(first);
      expectStatus(taken, 200);
      await context.advance(61);
      expectOAuthError(await app.oauth.refresh(first), 400, 'invalid_grant');
      expectOAuthError(
        await app.oauth.refresh(tokensOf(taken).refreshToken ?? ''),
        400,
        'invalid_grant',
      );
    },
    { movesClock: true },
  ),
];
