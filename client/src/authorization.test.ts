import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { inspect } from 'node:util';
import {
  authorizationRequest,
  validatePending,
  readCallbackCode,
  type PendingAuthorization,
} from './authorization.ts';
import { addressesFromAuthUrl } from './discovery.ts';
import { CardportError } from './errors.ts';

const AUTH = 'https://cards.example/auth';
const DOCS = 'https://cards.example/docs/errors';
const NOW = Date.UTC(2026, 5, 1, 12);
const ADDRESSES = { ...addressesFromAuthUrl(AUTH), sendsIssuer: true };
const REQUEST = {
  clientId: 'app_1',
  redirectUri: 'https://app.example/callback',
  scope: 'offline_access inventory:read',
  resource: 'https://cards.example/partner/v1',
  now: NOW,
};
const PENDING: PendingAuthorization = {
  state: 's'.repeat(43),
  codeVerifier: 'v'.repeat(43),
  redirectUri: REQUEST.redirectUri,
  scope: REQUEST.scope,
  startedAt: new Date(NOW).toISOString(),
};

function callback(changes: Readonly<Record<string, string | null>> = {}): string {
  const url = new URL(REQUEST.redirectUri);
  const query = { code: 'cpc_code', state: PENDING.state, iss: AUTH, ...changes };
  for (const [name, value] of Object.entries(query)) {
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}

/** Returns the code, or the name of the error that was thrown. */
function read(url: string, addresses = ADDRESSES, now = NOW): string {
  try {
    return readCallbackCode(url, PENDING, addresses, now, DOCS);
  } catch (error) {
    assert.ok(error instanceof Error);
    assert.equal(inspect(error).includes('cpc_code'), false);
    return error.name;
  }
}

describe('the authorization request (specification 5.3)', () => {
  it('an authorization request has all required parameters, with PKCE by S256', async () => {
    const { url, pending } = await authorizationRequest(ADDRESSES, REQUEST);
    const { origin, pathname, searchParams } = new URL(url);
    assert.equal(`${origin}${pathname}`, `${AUTH}/oauth2/authorize`);
    assert.deepEqual(Object.fromEntries(searchParams), {
      response_type: 'code',
      client_id: 'app_1',
      redirect_uri: REQUEST.redirectUri,
      scope: REQUEST.scope,
      state: pending.state,
      code_challenge: createHash('sha256').update(pending.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: REQUEST.resource,
    });
    assert.match(pending.codeVerifier, /^[\w-]{43}$/);
    assert.match(pending.state, /^[\w-]{43}$/);
    assert.deepEqual(JSON.parse(JSON.stringify(pending)), pending);
  });

  it('each authorization request has a new verifier and a new state', async () => {
    const one = await authorizationRequest(ADDRESSES, REQUEST);
    const two = await authorizationRequest(ADDRESSES, REQUEST);
    const drawn = [one, two].flatMap(({ pending }) => [pending.state, pending.codeVerifier]);
    assert.equal(new Set(drawn).size, 4);
  });
});

describe('the authorization response', () => {
  it('the code is read from a full URL or from request.url', () => {
    assert.equal(read(callback()), 'cpc_code');
    assert.equal(read(callback().slice('https://app.example'.length)), 'cpc_code');
    // Behind a proxy the app sees another host name, so the host name is not checked.
    assert.equal(
      read(callback().replace('https://app.example', 'http://10.0.0.7:3000')),
      'cpc_code',
    );
  });

  it('a response is refused if its state is not the session’s', () => {
    for (const state of [
      null,
      '',
      'other',
      PENDING.state.slice(1),
      `${PENDING.state}x`,
      't'.repeat(43),
    ]) {
      assert.equal(read(callback({ state })), 'StateMismatchError', String(state));
    }
    assert.equal(read(`${callback()}&state=${PENDING.state}`), 'StateMismatchError');
    // A callback with an error also needs a valid state.
    assert.equal(
      read(callback({ state: 'x', code: null, error: 'access_denied' })),
      'StateMismatchError',
    );
  });

  it('a response from another server is refused (RFC 9207), even if it is an error', () => {
    for (const iss of ['https://evil.example/auth', `${AUTH}/`, '']) {
      assert.equal(read(callback({ iss })), 'StateMismatchError', iss);
    }
    assert.equal(read(callback({ iss: null })), 'StateMismatchError');
    assert.equal(read(`${callback()}&iss=https://evil.example`), 'StateMismatchError');
    const error = { code: null, error: 'access_denied', iss: 'https://evil.example' };
    assert.equal(read(callback(error)), 'StateMismatchError');
    // A server that did not announce `iss` may omit it.
    const silent = addressesFromAuthUrl(AUTH);
    assert.equal(read(callback({ iss: null }), silent), 'cpc_code');
    assert.equal(read(callback({ iss: 'https://evil.example' }), silent), 'StateMismatchError');
  });

  it('a response is refused if the request was made more than an hour ago', () => {
    assert.equal(read(callback(), ADDRESSES, NOW + 3_599_999), 'cpc_code');
    assert.equal(read(callback(), ADDRESSES, NOW + 3_600_000), 'StateMismatchError');
  });

  it('an error code in a response throws the error class of that code', () => {
    for (const [error, name] of [
      ['access_denied', 'AccessDeniedError'],
      ['invalid_scope', 'InvalidScopeError'],
      ['unauthorized_client', 'UnauthorizedClientError'],
      ['server_error', 'ServerError'],
      ['login_required', 'LoginRequiredError'],
      ['something_new', 'UnknownCodeError'],
      ['<script>', 'InvalidRequestError'],
    ] as const) {
      assert.equal(read(callback({ error })), name, error);
    }
    assert.equal(read(callback({ code: null })), 'MalformedAnswerError');
    assert.equal(read(callback({ code: '' })), 'MalformedAnswerError');
    assert.equal(read(`${callback()}&code=other`), 'StateMismatchError');
  });

  it('the error links to the page that explains it', () => {
    for (const [error, section] of [
      ['access_denied', 'access_denied'],
      ['<script>', 'invalid_request'],
    ] as const) {
      assert.throws(() => readCallbackCode(callback({ error }), PENDING, ADDRESSES, NOW, DOCS), {
        help: `${DOCS}#${section}`,
      });
    }
  });

  it('the error does not contain a secret that error_description echoes', () => {
    const changes = { error: 'invalid_request', error_description: 'no code=abc or cpr_echoed' };
    assert.throws(
      () => readCallbackCode(callback(changes), PENDING, ADDRESSES, NOW, DOCS),
      (error: unknown) => {
        const shown = inspect(error, { showHidden: true, depth: 9 });
        assert.match(shown, /no \[secret\] or \[secret\]/);
        return !/abc|echoed/.test(shown);
      },
    );
  });

  it('a response is refused if the session does not say when the request was made', () => {
    const { startedAt: _, ...rest } = PENDING;
    for (const startedAt of ['', undefined, 'then']) {
      const pending = { ...rest, ...Object({ startedAt }) };
      assert.throws(
        () => readCallbackCode(callback(), validatePending(pending), ADDRESSES, NOW, DOCS),
        { name: 'StateMismatchError' },
        startedAt,
      );
    }
  });

  it('a response is refused if the session has no pending authorization', () => {
    for (const lost of [
      null,
      undefined,
      { ...PENDING, state: '' },
      { ...PENDING, codeVerifier: '' },
      { ...PENDING, startedAt: '' },
    ]) {
      assert.throws(() => validatePending(lost), {
        name: 'StateMismatchError',
        message: /session/,
      });
    }
    assert.equal(validatePending(PENDING), PENDING);
  });

  it('an error contains neither the state nor the verifier', () => {
    assert.throws(
      () => readCallbackCode(callback({ state: 'other' }), PENDING, ADDRESSES, NOW, DOCS),
      (error: unknown) =>
        error instanceof CardportError &&
        !inspect(error, { showHidden: true, depth: 9 }).includes(PENDING.state),
    );
  });
});
