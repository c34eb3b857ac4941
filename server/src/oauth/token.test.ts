import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient, type TokenAnswer } from '../../test/app-client.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { setAppEnabled } from '../apps/app.ts';
import { ManualClock } from '../base/clock.ts';
import { removeApp } from '../connections/connection.ts';
import { OPERATOR } from '../shops/audit.ts';

describe('POST /auth/oauth2/token with a code (spec 5.3, step 4)', () => {
  let base: TestDatabase;
  let service: TestService;
  let app: AppClient;
  const clock = new ManualClock(new Date());
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base, { clock });
    app = new AppClient(service, await seedShop(base));
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  it('the response has exactly the fields of spec 5.3, with Cache-Control: no-store', async () => {
    const { status, body, headers } = await app.exchange(
      await app.code({ scope: 'offline_access inventory:read' }),
    );
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body).toSorted(), [
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    assert.deepEqual([body.token_type, body.expires_in], ['Bearer', 900]);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.match(headers.get('content-type') ?? '', /^application\/json/);
    assert.match(headers.get('x-request-id') ?? '', /^[a-z0-9]{10,}$/);
    assert.equal(headers.get('access-control-allow-origin'), null);
    assert.equal(headers.get('set-cookie'), null);
  });

  const refused: readonly (readonly [string, Readonly<Record<string, string | null>>, string])[] = [
    ['a short code_verifier', { code_verifier: 'v' }, 'invalid_request'],
    ['no redirect_uri', { redirect_uri: null }, 'invalid_request'],
    ['no code', { code: null }, 'invalid_request'],
    ['an empty code', { code: '' }, 'invalid_request'],
    ['no grant_type', { grant_type: null }, 'invalid_request'],
    ['another grant_type', { grant_type: 'client_credentials' }, 'unsupported_grant_type'],
    ['grant_type password', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['another client_id in the body', { client_id: 'app_other' }, 'invalid_request'],
    ['the client secret in the body', { client_secret: 'cps_x' }, 'invalid_request'],
    ['a scope with a quote', { scope: '"' }, 'invalid_scope'],
  ];
  for (const [name, changes, error] of refused) {
    it(`a request with ${name} gets ${error}, and does not consume the code`, async () => {
      const code = await app.code();
      const answer = await app.exchange(code, changes);
      if (error !== 'invalid_scope') assertRefusal(answer, 400, error);
      else assert.equal(answer.status, 200);
      if (answer.status === 400) assert.equal((await app.exchange(code)).status, 200);
    });
  }

  const misuses: readonly (readonly [string, Readonly<Record<string, string | null>>])[] = [
    ['no code_verifier', { code_verifier: null }],
    ['a wrong code_verifier', { code_verifier: 'v'.repeat(43) }],
    ['another redirect_uri', { redirect_uri: 'https://app.example/other' }],
  ];
  for (const [name, changes] of misuses) {
    it(`a request with ${name} gets invalid_grant, and the code no longer works (decision 0007)`, async () => {
      const code = await app.code();
      assertRefusal(await app.exchange(code, changes), 400, 'invalid_grant');
      assertRefusal(await app.exchange(code), 400, 'invalid_grant');
    });
  }

  it('a code that another app has sent gets invalid_grant, and then no longer works for its own app', async () => {
    const other = new AppClient(service, await seedShop(base));
    const code = await app.code();
    const stolen = await other.exchange(code, { code_verifier: app.verifier });
    assertRefusal(stolen, 400, 'invalid_grant');
    assertRefusal(await app.exchange(code), 400, 'invalid_grant');
  });

  it('the tokens of a used code end if another app sends the code', async () => {
    const other = new AppClient(service, await seedShop(base));
    const code = await app.code();
    const { body } = await app.exchange(code);
    assertRefusal(await other.exchange(code), 400, 'invalid_grant');
    assertRefusal(await app.refresh(body.refresh_token ?? ''), 400, 'invalid_grant');
  });

  it('a code is valid for exactly 60 s', async () => {
    const early = await app.code();
    const late = await app.code();
    clock.advance(59_000);
    assert.equal((await app.exchange(early)).status, 200);
    clock.advance(2_000);
    assertRefusal(await app.exchange(late), 400, 'invalid_grant');
  });

  it('the tokens of a code end if the code is sent twice (OAuth 2.1 §4.1.3)', async () => {
    const code = await app.code();
    const { body } = await app.exchange(code);
    assert.equal((await app.call('POST', '/connection', body.access_token ?? '')).status, 201);
    assertRefusal(await app.exchange(code), 400, 'invalid_grant');
    assert.equal((await app.call('GET', '/connection', body.access_token ?? '')).status, 401);
    assertRefusal(await app.refresh(body.refresh_token ?? ''), 400, 'invalid_grant');
  });

  it('only one of two concurrent exchanges of a code succeeds, and its tokens then end', async () => {
    const code = await app.code();
    const answers = await Promise.all([app.exchange(code), app.exchange(code)]);
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 400],
    );
    const won = answers.find(({ status }) => status === 200);
    assertRefusal(await app.refresh(won?.body.refresh_token ?? ''), 400, 'invalid_grant');
  });

  it('a repeated exchange with the same Idempotency-Key gets the same bytes (decision 0007)', async () => {
    const code = await app.code();
    const headers = { 'idempotency-key': 'exchange-1' };
    const [one, two] = await Promise.all([
      app.exchange(code, {}, headers),
      app.exchange(code, {}, headers),
    ]);
    assert.equal(one.status, 200);
    assert.equal(one.text, two.text);
    assert.equal((await app.refresh(one.body.refresh_token ?? '')).status, 200);
    assertRefusal(await app.exchange(code, {}, headers), 400, 'invalid_grant');
  });

  const broken: readonly (readonly [
    string,
    string | Buffer,
    Readonly<Record<string, string>>,
    number,
  ])[] = [
    ['JSON', '{}', { 'content-type': 'application/json' }, 400],
    ['no content type', 'grant_type=refresh_token', { 'content-type': '' }, 400],
    ['a repeated parameter', 'grant_type=refresh_token&refresh_token=a&refresh_token=b', {}, 400],
    ['a repeated resource', 'grant_type=refresh_token&resource=a&resource=b', {}, 400],
    ['a NUL byte', 'grant_type=refresh_token&refresh_token=a%00b', {}, 400],
    ['bytes that are not UTF-8', 'grant_type=refresh_token&refresh_token=%FF', {}, 400],
    ['no body', '', {}, 400],
    ['a body of 20 KB', `grant_type=${'x'.repeat(20_000)}`, {}, 413],
    ['101 parameters', Array.from({ length: 101 }, (_, n) => `p${n}=1`).join('&'), {}, 400],
  ];
  for (const [name, body, headers, status] of broken) {
    for (const endpoint of ['token', 'revoke'] as const) {
      it(`the ${endpoint} endpoint returns invalid_request (${status}) for ${name}`, async () => {
        assertRefusal(await app.send(endpoint, body, headers), status, 'invalid_request');
      });
    }
  }

  it('a body of exactly 16 KiB is accepted, but not one more byte', async () => {
    const start = 'grant_type=refresh_token&refresh_token=';
    const fits = start + 'x'.repeat(16_384 - start.length);
    assertRefusal(await app.send('token', fits), 400, 'invalid_target');
    assertRefusal(await app.send('token', `${fits}x`), 413, 'invalid_request');
  });

  for (const endpoint of ['token', 'revoke'] as const) {
    for (const [name, authorization] of [
      ['no credentials', ''],
      ['a Bearer token', 'Bearer cpa_x'],
      ['empty Basic credentials', 'Basic'],
      ['Basic credentials that are not base64', 'Basic %%%'],
      ['Basic credentials without a colon', `Basic ${btoa('app_x')}`],
      ['Basic credentials without a secret', `Basic ${btoa('app_x:')}`],
      ['wrongly encoded Basic credentials', `Basic ${btoa('app_x:%zz')}`],
      ['an unknown client', `Basic ${btoa('app_unknown:cps_x')}`],
      ['a malformed client id', `Basic ${btoa('nobody:cps_x')}`],
    ] as const) {
      it(`the ${endpoint} endpoint returns 401 invalid_client for ${name}`, async () => {
        const answer = await app.send(endpoint, 'token=x', { authorization });
        assertRefusal(answer, 401, 'invalid_client');
        assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm="/);
      });
    }

    it(`the ${endpoint} endpoint returns 405 with Allow for GET, in the form of RFC 6749 §5.2`, async () => {
      const answer = await fetch(`${service.authUrl}/oauth2/${endpoint}`);
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST']);
      assert.match(answer.headers.get('link') ?? '', /\/docs\/errors#method_not_allowed>/);
      assert.deepEqual(await answer.json(), {
        error: 'method_not_allowed',
        error_description: 'this URL does not support the method; see the Allow header',
      });
      for (const [method, path] of [
        ['GET', `${endpoint}/`],
        ['POST', `${endpoint}/`],
        ['POST', `${endpoint}/more`],
      ] as const) {
        const unknown = await fetch(`${service.authUrl}/oauth2/${path}`, { method });
        assert.equal(unknown.status, 404, `${method} ${path}`);
        assert.equal(Reflect.get((await unknown.json()) as object, 'error'), 'not_found');
      }
    });
  }

  it('a wrong secret does not consume the code, and credentials may be URL-encoded or plain', async () => {
    const code = await app.code();
    const wrong = app.basic(`${app.seeded.clientSecret}x`);
    assertRefusal(await app.exchange(code, {}, { authorization: wrong }), 401, 'invalid_client');
    const { clientId } = app.seeded.app;
    const encoded = `${encodeURIComponent(clientId)}:${encodeURIComponent(app.seeded.clientSecret)}`;
    const headers = { authorization: `basic ${btoa(encoded)}` };
    assert.equal((await app.exchange(code, {}, headers)).status, 200);
  });

  it('a disabled app gets unauthorized_client and its code stays valid; a removed app gets invalid_client', async () => {
    const client = new AppClient(service, await seedShop(base));
    const { clientId } = client.seeded.app;
    const set = async (isEnabled: boolean): Promise<void> => {
      await base.db.transaction(
        async (tx) => void (await setAppEnabled(tx, clientId, isEnabled, clock.now(), OPERATOR)),
      );
    };
    const code = await client.code();
    await set(false);
    assertRefusal(await client.exchange(code), 400, 'unauthorized_client');
    await set(true);
    const { body } = await client.exchange(code);
    const token = body.access_token ?? '';
    assert.equal((await client.call('POST', '/connection', token)).status, 201);
    await base.db.transaction(
      async (tx) => void (await removeApp(tx, clientId, clock.now(), OPERATOR)),
    );
    assertRefusal(await client.refresh(body.refresh_token ?? ''), 401, 'invalid_client');
    const called = await client.call('GET', '/connection', token);
    assert.deepEqual([called.status, called.text], [403, '{"error":"connection_revoked"}']);
  });
});

describe('POST /auth/oauth2/revoke (RFC 7009)', () => {
  let base: TestDatabase;
  let service: TestService;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  it('revoking a refresh token ends the approval, even if the token was already rotated', async () => {
    const app = new AppClient(service, await seedShop(base));
    const { refresh_token: first } = await app.tokens();
    const { body } = await app.refresh(first);
    assert.equal((await app.revoke(first)).status, 200);
    assertRefusal(await app.refresh(body.refresh_token ?? ''), 400, 'invalid_grant');
  });

  it('concurrent revocations of the last two approvals end the connection, with either token_type_hint', async () => {
    const app = new AppClient(service, await seedShop(base));
    const [one, two] = [await app.tokens(), await app.tokens()];
    assert.equal((await app.call('POST', '/connection', one.access_token)).status, 201);
    await Promise.all([
      app.revoke(one.refresh_token, { token_type_hint: 'refresh_token' }),
      app.revoke(two.access_token, { token_type_hint: 'access_token' }),
    ]);
    const { access_token: token } = await app.tokens();
    assert.equal((await app.call('GET', '/connection', token)).text, '{"error":"forbidden"}');
  });

  it('revoking an unknown token or another app’s token returns 200 and ends nothing', async () => {
    const app = new AppClient(service, await seedShop(base));
    const other = new AppClient(service, await seedShop(base));
    const tokens = await app.tokens();
    for (const token of ['cpa_unknown', 'x', tokens.access_token, tokens.refresh_token]) {
      const answer = await other.revoke(token, { token_type_hint: 'nonsense' });
      assert.deepEqual([answer.status, answer.text], [200, '']);
    }
    assert.equal((await app.refresh(tokens.refresh_token)).status, 200);
  });

  it('a missing token gets invalid_request, and a JWT gets unsupported_token_type', async () => {
    const app = new AppClient(service, await seedShop(base));
    assertRefusal(await app.post('revoke', {}), 400, 'invalid_request');
    const { id_token: token = '' } = await app.tokens();
    assertRefusal(await app.revoke(token), 400, 'unsupported_token_type');
  });
});

describe('limits of the token endpoint (decision 0008)', () => {
  let base: TestDatabase;
  before(async () => {
    base = await openTestDatabase();
  });
  after(async () => {
    await base.close();
  });

  it('60 failures are allowed per minute, client and address, and the right secret is always accepted', async () => {
    const clock = new ManualClock(new Date());
    await using service = await startTestService(base, {
      clock,
      environment: { RATE_LIMITS: 'default' },
    });
    const app = new AppClient(service, await seedShop(base));
    const other = new AppClient(service, await seedShop(base));
    const { refresh_token: token } = await app.tokens();
    const wrong = { authorization: app.basic('cps_wrong') };
    for (let count = 0; count < 60; count++) {
      assert.equal((await app.refresh(token, {}, wrong)).status, 401);
    }
    const blocked = await app.refresh(token, {}, wrong);
    assertRefusal(blocked, 429, 'rate_limited');
    assert.equal(blocked.headers.get('retry-after'), '60');
    // The client id is public, so a stranger's failures must not lock the app out.
    const { refresh_token: next } = (await app.refresh(token)).body;
    assertRefusal(await app.refresh(token, {}, wrong), 429, 'rate_limited');
    assertRefusal(await other.refresh('x'), 400, 'invalid_grant');
    clock.advance(60_000);
    assertRefusal(await app.refresh(token, {}, wrong), 401, 'invalid_client');
    assert.equal((await app.refresh(next ?? '')).status, 200);
  });

  it('600 token requests are allowed per minute and client, then 429 with Retry-After', async () => {
    await using service = await startTestService(base, {
      clock: new ManualClock(new Date()),
      environment: { RATE_LIMITS: 'token=5' },
    });
    const app = new AppClient(service, await seedShop(base));
    for (let count = 0; count < 5; count++) {
      const told = await app.refresh('x');
      assertRefusal(told, 400, 'invalid_grant');
      assert.equal(
        told.headers.get('ratelimit-policy'),
        '"token";q=5;w=60, "token-burst";q=5;w=60',
      );
      assert.match(told.headers.get('ratelimit') ?? '', new RegExp(`r=${4 - count};`));
    }
    const refused = await app.refresh('x');
    assertRefusal(refused, 429, 'rate_limited');
    assert.equal(refused.headers.get('retry-after'), '12');
  });
});

function assertRefusal(answer: TokenAnswer, status: number, error: string): void {
  assert.deepEqual([answer.status, answer.body.error], [status, error], answer.text);
  assert.deepEqual(Object.keys(answer.body).toSorted(), ['error', 'error_description']);
  assert.match(answer.body.error_description ?? '', /^[\u0020\u0021\u0023-\u005b\u005d-\u007e]+$/);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.notEqual(answer.headers.get('x-request-id'), null);
  const link = answer.headers.get('link') ?? '';
  assert.ok(link.endsWith(`/docs/errors#${error}>; rel="help"`), link);
}
