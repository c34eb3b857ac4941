import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { AppClient, signInOn } from '../../test/app-client.ts';
import { formTo, hasFormTo, PlainBrowser, SIGN_IN, CONSENT } from '../../test/plain-browser.ts';
import { seedShop, startTestService, type TestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { setAppEnabled } from '../apps/app.ts';
import { ManualClock } from '../base/clock.ts';
import { removeApp } from '../connections/connection.ts';
import { statement } from '../database/statement.ts';
import { OPERATOR } from '../shops/audit.ts';
import { startSession } from '../shops/session.ts';

const countInteractions = statement<{ readonly rows: number }>(
  'count_interactions',
  `select count(*)::int as rows from oauth_artifact where model = 'Interaction'`,
);

describe('GET /auth/oauth2/authorize (5.3)', () => {
  let base: TestDatabase;
  let service: TestService;
  let app: AppClient;
  before(async () => {
    base = await openTestDatabase();
    service = await startTestService(base);
    const seeded = await seedShop(base, { scopes: ['offline_access', 'inventory:read'] });
    app = new AppClient(service, seeded);
  });
  after(async () => {
    await service.close();
    await base.close();
  });

  async function authorize(
    changes: Readonly<Record<string, string | null>> = {},
    more = '',
  ): Promise<Response> {
    const address = app.authorizationUrl({ scope: 'inventory:read', ...changes });
    return await fetch(`${address}${more}`, { redirect: 'manual' });
  }

  /** The refusals that are redirected: the label, the changed parameters and the expected error. */
  const redirected: readonly (readonly [
    string,
    Readonly<Record<string, string | null>>,
    string,
  ])[] = [
    ['no scope', { scope: null }, 'invalid_scope'],
    ['an empty scope', { scope: '' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'inventory:read inventory:write' }, 'invalid_scope'],
    ['a scope that the shop has not allowed', { scope: 'purchase-boosts:read' }, 'invalid_scope'],
    ['an OpenID scope that the shop has not allowed', { scope: 'openid' }, 'invalid_scope'],
    ['no resource', { resource: null }, 'invalid_target'],
    ['another resource', { resource: 'https://other.example/v1' }, 'invalid_target'],
    ['a resource that is not a URL', { resource: 'stock' }, 'invalid_target'],
    ['no code_challenge', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no code_challenge_method', { code_challenge_method: null }, 'invalid_request'],
    ['a short code_challenge', { code_challenge: 'short' }, 'invalid_request'],
    ['no response_type', { response_type: null }, 'invalid_request'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    [
      'response_type code id_token',
      { response_type: 'code id_token' },
      'unsupported_response_type',
    ],
    ['response_mode fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['response_mode form_post', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['prompt none', { prompt: 'none' }, 'login_required'],
    ['prompt none with login', { prompt: 'none login' }, 'invalid_request'],
    ['an unknown prompt', { prompt: 'shout' }, 'invalid_request'],
    ['a state longer than 2,048', { state: 's'.repeat(2_049) }, 'invalid_request'],
    ['a nonce longer than 512', { nonce: 'n'.repeat(513) }, 'invalid_request'],
    ['a login_hint longer than 254', { login_hint: 'l'.repeat(255) }, 'invalid_request'],
    ['any value longer than 2,048', { acr_values: 'a'.repeat(2_049) }, 'invalid_request'],
    ['a request object', { request: 'x.y.z' }, 'request_not_supported'],
    ['a request_uri', { request_uri: 'https://app.example/r' }, 'request_uri_not_supported'],
  ];
  for (const [name, changes, error] of redirected) {
    it(`the response is a redirect with ${error}, state and iss before any sign-in, if there is ${name}`, async () => {
      const before_ = await base.db.one(countInteractions);
      const answer = await authorize(changes);
      assert.equal(answer.status, 303);
      const target = new URL(answer.headers.get('location') ?? '');
      assert.equal(`${target.origin}${target.pathname}`, 'https://app.example/callback');
      assert.equal(target.searchParams.get('error'), error);
      assert.equal(target.searchParams.get('state'), changes['state'] ?? 'the state');
      assert.equal(target.searchParams.get('iss'), service.authUrl);
      assert.deepEqual(
        [...target.searchParams.keys()].filter((key) => key !== 'error_description').toSorted(),
        ['error', 'iss', 'state'],
      );
      assert.equal(target.hash, '');
      assert.deepEqual(await base.db.one(countInteractions), before_);
      assert.deepEqual(answer.headers.getSetCookie(), []);
    });
  }

  const onPage: readonly (readonly [string, Readonly<Record<string, string | null>>])[] = [
    ['no client_id', { client_id: null }],
    ['an unknown client_id', { client_id: 'app_unknown' }],
    ['a client_id with a NUL byte', { client_id: 'app_\0' }],
    ['no redirect_uri', { redirect_uri: null }],
    ['another redirect_uri', { redirect_uri: 'https://thief.example/callback' }],
    ['a redirect_uri with a query added', { redirect_uri: 'https://app.example/callback?x=1' }],
    ['a redirect_uri with another case', { redirect_uri: 'https://app.example/Callback' }],
    ['a redirect_uri with a slash added', { redirect_uri: 'https://app.example/callback/' }],
    ['a NUL byte in state', { state: 'a\0b' }],
  ];
  for (const [name, changes] of onPage) {
    it(`the response is an error page, not a redirect, if there is ${name}`, async () => {
      const answer = await authorize(changes);
      assert.equal(answer.status, 400);
      assert.equal(answer.headers.get('location'), null);
      assert.match(answer.headers.get('content-type') ?? '', /^text\/html/);
      assert.match(answer.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.notEqual(answer.headers.get('x-request-id'), null);
      assert.match(await answer.text(), /href="\/docs\/console\?lang=en#when-an-app-asks/);
    });
  }

  for (const name of [
    'client_id',
    'redirect_uri',
    'scope',
    'state',
    'code_challenge',
    'resource',
  ]) {
    it(`a request that contains ${name} twice is refused (RFC 6749 §3.1)`, async () => {
      const value = new URL(app.authorizationUrl()).searchParams.get(name) ?? '';
      const answer = await authorize({}, `&${name}=${encodeURIComponent(value)}`);
      const location = answer.headers.get('location');
      const error = location === null ? null : new URL(location).searchParams.get('error');
      if (error === null) assert.equal(answer.status, 400);
      else assert.match(error, /^invalid_(request|target)$/);
    });
  }

  it('POST and HEAD get 405 with Allow, and nothing is stored', async () => {
    const before_ = await base.db.one(countInteractions);
    for (const method of ['POST', 'HEAD']) {
      for (const address of [
        app.authorizationUrl({ scope: 'inventory:read' }),
        `${service.authUrl}/oauth2/authorize/x`,
      ]) {
        const answer = await fetch(address, { method });
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'GET']);
      }
    }
    assert.deepEqual(await base.db.one(countInteractions), before_);
  });

  it('state, nonce and login_hint are accepted together at their maximum lengths', async () => {
    const client = new AppClient(service, await seedShop(base));
    const longest = {
      state: 's'.repeat(2_048),
      nonce: 'n'.repeat(512),
      login_hint: 'l'.repeat(254),
    };
    const answer = await fetch(client.authorizationUrl(longest), { redirect: 'manual' });
    assert.match(answer.headers.get('location') ?? '', /^\/auth\/interaction\//);
  });

  it('a query of more than 8 KiB gets an error page, and nothing is stored', async () => {
    const before_ = await base.db.one(countInteractions);
    const { length } = new URL(app.authorizationUrl({ scope: 'inventory:read' })).search.slice(1);
    const fits = await authorize({}, `&x=${'y'.repeat(8_192 - length - 3)}`);
    assert.equal(fits.status, 303);
    const answer = await authorize({}, `&x=${'y'.repeat(8_192 - length - 2)}`);
    assert.deepEqual([answer.status, answer.headers.get('location')], [400, null]);
    assert.match(await answer.text(), /invalid_request/);
    const after_ = await base.db.one(countInteractions);
    assert.deepEqual(after_, before_);
  });

  it('requests of strangers store nothing, and none of their number keeps a member on another network from approving the app', async () => {
    const environment = { RATE_LIMITS: 'authorize=20', TRUST_PROXY: '1' };
    await using limited = await startTestService(base, { environment });
    const client = new AppClient(limited, await seedShop(base));
    const before_ = await base.db.one(countInteractions);
    const flood = async (round: number): Promise<void> => {
      const addresses = Array.from({ length: 60 }, (_, n) => [
        `2001:db8:1:${(round * 60 + n).toString(16)}::1`,
        `100.${64 + round}.${n}.1`,
      ]).flat();
      const answers = addresses.map(async (address) => {
        const headers = { 'x-forwarded-for': address };
        const url = client.authorizationUrl();
        return (await fetch(url, { redirect: 'manual', headers })).status;
      });
      assert.deepEqual(new Set(await Promise.all(answers)), new Set([303]));
    };
    for (let round = 0; round < 5; round++) {
      const innocent = new PlainBrowser(limited.url, { 'x-forwarded-for': `203.0.113.${round}` });
      const [page] = await Promise.all([
        signInOn(innocent, client.authorizationUrl(), client.seeded),
        flood(round),
      ]);
      const last = await innocent.submit(page, formTo(page, CONSENT, { decision: 'allow' }));
      assert.match(last.url, /^https:\/\/app\.example\/callback\?code=cpc_/);
    }
    // Each of the five approvals deletes its own row.
    assert.deepEqual(await base.db.one(countInteractions), before_);
  });

  it('requests per minute are limited for each address and for each account (429)', async () => {
    const clock = new ManualClock(new Date());
    const environment = { RATE_LIMITS: 'authorize=2', TRUST_PROXY: '1' };
    await using limited = await startTestService(base, { clock, environment });
    const client = new AppClient(limited, await seedShop(base));
    const { secret } = await startSession(base.db, client.seeded.member.account.id, clock.now());
    const cookie = `cardport_session=${secret}`;
    const from = async (address: string, more: Record<string, string> = {}): Promise<Response> =>
      await fetch(client.authorizationUrl(), {
        redirect: 'manual',
        headers: { 'x-forwarded-for': address, ...more },
      });
    for (const address of ['[2001:db8::1]:80', '2001:db8::2']) {
      assert.equal((await from(address)).status, 303);
    }
    const before_ = (await base.db.one(countInteractions))?.rows ?? 0;
    const refused = await from('2001:db8:0:0:9::9');
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '30']);
    assert.match(refused.headers.get('content-type') ?? '', /^text\/html/);
    for (let host = 0; host < 4; host++) {
      const answer = await from(`192.0.2.${host}`, { cookie });
      assert.equal(answer.status, host < 2 ? 303 : 429);
      assert.equal((await from(`192.0.2.${host}`)).status, 303);
    }
    assert.equal((await base.db.one(countInteractions))?.rows, before_ + 2);
    clock.advance(30_000);
    assert.equal((await from('2001:db8::3', { cookie })).status, 303);
  });

  it('URLs are built from PUBLIC_URL, not from the Host and proxy headers', async () => {
    const seen = await new Promise<string>((resolve, reject) => {
      const headers = {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        forwarded: 'host=evil.example',
      };
      const asked = httpRequest(app.authorizationUrl({ scope: 'inventory:read' }), { headers });
      asked.on('response', (answer) => {
        answer.resume();
        resolve(JSON.stringify(answer.headers));
      });
      asked.on('error', reject);
      asked.end();
    });
    assert.equal(seen.includes('evil'), false);
    const metadata = await fetch(`${service.authUrl}/.well-known/oauth-authorization-server`, {
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    assert.equal((await metadata.text()).includes('evil'), false);
  });

  it('offline_access needs no prompt=consent, and prompt=login requires a sign-in', async () => {
    const scope = 'offline_access inventory:read';
    const browser = new PlainBrowser(service.url);
    const page = await signInOn(browser, app.authorizationUrl({ scope }), app.seeded);
    const { url } = await browser.submit(page, formTo(page, CONSENT, { decision: 'allow' }));
    const { body } = await app.exchange(new URL(url).searchParams.get('code') ?? '');
    assert.match(body.refresh_token ?? '', /^cpr_/);
    // A member who is already signed in sees the consent page immediately, except with
    // prompt=login.
    assert.equal(
      hasFormTo(await browser.visit(app.authorizationUrl({ scope })), CONSENT, {
        decision: 'allow',
      }),
      true,
    );
    const again = await browser.visit(app.authorizationUrl({ scope, prompt: 'login' }));
    assert.equal(hasFormTo(again, SIGN_IN), true);
  });

  it('prompt=login and max_age require one new sign-in, and the request stays as it was sent', async () => {
    const clock = new ManualClock(new Date());
    await using own = await startTestService(base, { clock });
    const client = new AppClient(own, await seedShop(base));
    const longest = { state: 'é "&?#+%'.repeat(200), login_hint: client.seeded.email };
    for (const changes of [
      { prompt: 'login' },
      { prompt: 'consent login', max_age: '0' },
      { max_age: '0' },
      { max_age: '600' },
    ]) {
      const browser = new PlainBrowser(own.url);
      await signInOn(browser, `${own.url}/signin`, client.seeded);
      clock.advance(601_000);
      const address = client.authorizationUrl({ ...longest, ...changes });
      const asked = await browser.visit(address);
      const form = formTo(asked, SIGN_IN);
      assert.ok(asked.text.includes(`value="${client.seeded.email}"`));
      const { email, password } = client.seeded;
      const wrong = await browser.submit(asked, form, { email, password: 'wrong' });
      assert.equal(wrong.status, 400);
      const page = await browser.submit(wrong, formTo(wrong, SIGN_IN), { email, password });
      const { url } = await browser.submit(page, formTo(page, CONSENT, { decision: 'allow' }));
      const { searchParams } = new URL(url);
      assert.equal(searchParams.get('state'), longest.state);
      const { body } = await client.exchange(searchParams.get('code') ?? '');
      const claims: unknown = JSON.parse(
        Buffer.from(body.id_token?.split('.')[1] ?? '', 'base64url').toString(),
      );
      const signedInAt = Math.floor(clock.now().getTime() / 1_000);
      assert.equal(Reflect.get(Object(claims), 'auth_time'), signedInAt, JSON.stringify(changes));
      const again = await browser.visit(client.authorizationUrl({ max_age: '600' }));
      assert.equal(hasFormTo(again, CONSENT, { decision: 'allow' }), true);
    }
  });

  it('the sign-in of a request continues only to the authorization endpoint', async () => {
    for (const query of ['', '\r\nset-cookie: x=1', '//evil.example', '@evil.example/?x', 'ü']) {
      const browser = new PlainBrowser(service.url);
      const page = await browser.visit(`${service.authUrl}/interaction/new`);
      const { email, password } = app.seeded;
      const last = await browser.submit(page, formTo(page, SIGN_IN), { email, password, query });
      assert.equal(last.status, 400);
      assert.ok(last.url.startsWith(`${service.authUrl}/oauth2/authorize?`), last.url);
    }
  });

  it('a disabled or removed app gets an error page before any sign-in', async () => {
    const other = new AppClient(service, await seedShop(base));
    const { clientId } = other.seeded.app;
    const set = async (isEnabled: boolean): Promise<void> => {
      await base.db.transaction(
        async (tx) => void (await setAppEnabled(tx, clientId, isEnabled, new Date(), OPERATOR)),
      );
    };
    const browser = new PlainBrowser(service.url);
    const waiting = await signInOn(browser, other.authorizationUrl(), other.seeded);
    const allow = formTo(waiting, CONSENT, { decision: 'allow' });
    await set(false);
    for (const scope of ['inventory:read', 'nonsense']) {
      const page = await new PlainBrowser(service.url).visit(other.authorizationUrl({ scope }));
      assert.equal(page.status, 400);
      assert.match(page.text, /unauthorized_client/);
    }
    assert.match((await browser.submit(waiting, allow)).text, /unauthorized_client/);
    await base.db.transaction(
      async (tx) => void (await removeApp(tx, clientId, new Date(), OPERATOR)),
    );
    const page = await new PlainBrowser(service.url).visit(other.authorizationUrl());
    assert.equal(page.status, 400);
    assert.match(page.text, /invalid_client/);
    assert.match((await browser.submit(waiting, allow)).text, /invalid_client/);
  });
});
