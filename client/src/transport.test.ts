import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { inspect } from 'node:util';
import { type ScriptedServer, startScriptedServer } from '../test/scripted-server.ts';
import { errorForResponse, errorForCode } from './response-error.ts';
import { CardportError, RateLimitedError, UnknownCodeError } from './errors.ts';
import { AnswerTimeoutError, ConnectionFailedError, MalformedAnswerError } from './local-errors.ts';
import type { RetryEvent } from './retry.ts';
import { openTransport, type Transport, type TransportOptions } from './transport.ts';

/** Retries with hardly any delay. */
const QUICK = { firstDelayMs: 1, delayMsMax: 2 };
const SECRETS = ['cpa_abcDEF123', 'cpr_abcDEF123', 'cps_abcDEF123', 'whsec_AbC+/dEf='];

let server: ScriptedServer;

function transport(options: Partial<TransportOptions> = {}): Transport {
  return openTransport({ docsUrl: 'https://cards.example/docs/errors', retry: QUICK, ...options });
}

async function errorOf(work: Promise<unknown>): Promise<CardportError> {
  const error: unknown = await work.then(
    () => new Error('it did not throw'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof CardportError, inspect(error));
  return error;
}

function get(path = '/x'): { readonly method: 'GET'; readonly url: string } {
  return { method: 'GET', url: `${server.url}${path}` };
}

describe('the transport', () => {
  before(async () => {
    server = await startScriptedServer();
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
  });

  describe('a response', () => {
    it('a response is read completely, as bytes and as JSON, and the request identifies the SDK', async () => {
      server.script({ status: 200, headers: { etag: '"a"' }, body: '\uFEFF{"name":"蒼天竜"}' });
      const answer = await transport({ userAgent: 'kumo-board/1.2' }).send(get());
      assert.deepEqual(answer.json(), { name: '蒼天竜' });
      assert.equal(answer.headers.get('etag'), '"a"');
      assert.equal(server.seen[0]?.headers['user-agent'], 'kumo-board/1.2 cardport-client/0.1.0');
      assert.equal(server.seen[0]?.headers['accept'], 'application/json');
    });

    it('a response with invalid JSON or UTF-8 is malformed, and the call is not retried', async () => {
      for (const body of ['<html>', '', new Uint8Array([0x22, 0xff, 0x22])]) {
        server.script({ status: 200, headers: { 'x-request-id': 'r-1' }, body });
        const answer = await transport().send(get());
        const error = await errorOf(Promise.resolve().then(() => answer.json()));
        assert.ok(error instanceof MalformedAnswerError);
        assert.equal(error.requestId, 'r-1');
      }
    });

    it('a response is accepted up to its limit, and not a byte more', async () => {
      server.script({ status: 200, body: 'x'.repeat(100) }, { status: 200, body: 'x'.repeat(101) });
      const answer = await transport().send({ ...get(), responseBytesMax: 100 });
      assert.equal(answer.bytes.byteLength, 100);
      const error = await errorOf(transport().send({ ...get(), responseBytesMax: 100 }));
      assert.ok(error instanceof MalformedAnswerError);
      assert.equal(server.seen.length, 2);
    });

    it('a redirect is not followed', async () => {
      server.script({ status: 302, headers: { location: `${server.url}/elsewhere` } });
      const error = await errorOf(transport().send(get()));
      assert.deepEqual(
        [error.name, error.code, error.status],
        ['UnknownCodeError', 'status_302', 302],
      );
      assert.ok(error.message.includes(`redirects to ${server.url}: check baseUrl (GET /x, `));
      assert.equal(server.seen.length, 1);
    });
  });

  describe('an error', () => {
    const ours = [
      'invalid_request',
      'invalid_token',
      'insufficient_scope',
      'connection_revoked',
      'client_disabled',
      'forbidden',
      'not_found',
      'method_not_allowed',
      'conflict',
      'cursor_expired',
      'payload_too_large',
      'unsupported_media_type',
      'invalid_webhook_url',
      'rate_limited',
      'server_error',
      'temporarily_unavailable',
    ];
    const oauth = [
      'invalid_grant',
      'invalid_client',
      'unauthorized_client',
      'unsupported_grant_type',
      'unsupported_response_type',
      'invalid_scope',
      'invalid_target',
      'access_denied',
      'login_required',
    ];

    it('each error code has a class named after the code', () => {
      for (const code of [...ours, ...oauth]) {
        const error = errorForCode(code);
        const words = code.split('_').map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
        const name = words.join('').replace(/Error$/u, '');
        assert.deepEqual([error.name, error.code], [`${name}Error`, code]);
        assert.ok(error.stack?.includes(`${name}Error`));
      }
      assert.ok(errorForCode('toString') instanceof UnknownCodeError);
    });

    it('an error says whether a new approval is needed, and whether it is retryable', () => {
      const all = [...ours, ...oauth].map((code) => errorForCode(code));
      assert.deepEqual(
        all.filter((error) => error.needsApproval).map((error) => error.code),
        [
          'insufficient_scope',
          'connection_revoked',
          'invalid_grant',
          'access_denied',
          'login_required',
        ],
      );
      assert.deepEqual(
        all.filter((error) => error.isRetryable).map((error) => error.code),
        ['rate_limited', 'server_error', 'temporarily_unavailable'],
      );
    });

    it('an error has the status, request id, scope and help link of the response', async () => {
      const link = '<https://cards.example/docs/errors#insufficient_scope>; rel="help"';
      const headers = { 'x-request-id': 'r-42', link };
      const body = { error: 'insufficient_scope', scope: 'inventory:read' };
      server.script({ status: 403, headers, body });
      const error = await errorOf(transport().send(get()));
      assert.equal(Reflect.get(error, 'scope'), 'inventory:read');
      assert.deepEqual([error.status, error.requestId], [403, 'r-42']);
      assert.equal(error.help, 'https://cards.example/docs/errors#insufficient_scope');
      assert.match(
        error.message,
        /^insufficient_scope \(GET \/x, status 403, request r-42, https:/u,
      );
      assert.equal(server.seen.length, 1);
    });

    it('an error names the call without its query, with or without a response', async () => {
      server.script('drop', 'hang', { status: 200, body: 'xx' }, { status: 200, body: '<html>' });
      const one = transport({ retry: { triesMax: 1 }, timeoutMs: 100 });
      for (let fault = 0; fault < 4; fault++) {
        const sending = one.send({
          ...get('/x?search=y'),
          responseBytesMax: fault === 2 ? 1 : 100,
        });
        const error = await errorOf(sending.then((answer) => answer.json()));
        assert.equal(error.call, 'GET /x', error.message);
        assert.match(error.message, /\(GET \/x[,)]/u);
      }
    });

    it('an error links to the errors page if the response has no link', async () => {
      server.script({ status: 404, body: { error: 'not_found' } }, { status: 404, body: 'nginx' });
      const ownError = await errorOf(transport().send(get()));
      assert.equal(ownError.help, 'https://cards.example/docs/errors#not_found');
      const other = await errorOf(transport().send(get()));
      assert.deepEqual(
        [other.name, other.code, other.help],
        ['UnknownCodeError', 'status_404', null],
      );
    });

    it('an error code of a later version of the service is an UnknownCodeError', async () => {
      server.script({ status: 409, body: { error: 'of_a_later_version', more: 1 } });
      const error = await errorOf(transport().send(get()));
      assert.deepEqual([error.name, error.code], ['UnknownCodeError', 'of_a_later_version']);
      assert.equal(error.isRetryable, false);
    });

    it('an error contains no token or secret from a response or a custom fetch', async () => {
      const description = `bad ${SECRETS.join(' ')} Bearer abc code=xyz`;
      const body = { error: 'invalid_grant', error_description: description };
      server.script({ status: 400, body });
      const headers = { authorization: `Bearer ${SECRETS[0]}` };
      const told = await errorOf(transport().send({ ...get(), headers }));
      // An error that a custom `fetch` might throw.
      const fault = Object.assign(new Error(`POST with Basic YXBwOnNlY3JldA== failed`), {
        config: { headers },
        cause: Object.assign(new Error(description), { code: 'ECONNRESET' }),
      });
      const thrown = await errorOf(
        transport({ fetch: async () => await Promise.reject(fault), retry: { triesMax: 1 } }).send(
          get(),
        ),
      );
      assert.match(thrown.message, /ECONNRESET/u);
      for (const error of [told, thrown]) {
        const shown = `${inspect(error, { depth: 9, showHidden: true })} ${JSON.stringify(error)}`;
        for (const secret of [...SECRETS, 'YXBwOnNlY3JldA', 'Bearer abc', 'xyz']) {
          assert.ok(!shown.includes(secret), `${secret} in ${shown}`);
        }
      }
    });

    it('an error ignores a malformed request id or code', () => {
      const headers = new Headers({
        'x-request-id': 'a b\u0007',
        link: '<javascript:x>; rel="help"',
      });
      const bytes = new TextEncoder().encode('{"error":"<b>no code</b>"}');
      const error = errorForResponse({ status: 400, headers, bytes }, 'https://x/docs/errors', 0);
      assert.deepEqual([error.code, error.requestId, error.help], ['status_400', null, null]);
    });
  });

  describe('a retry', () => {
    it('network errors, truncated responses, 429, 500, 502, 503 and 504 are retried, and each retry is reported', async () => {
      const news: RetryEvent[] = [];
      server.script(
        'drop',
        'cut',
        { status: 429, body: { error: 'rate_limited' } },
        { status: 500, body: { error: 'server_error' } },
        { status: 502, body: '<html>bad gateway</html>' },
        {
          status: 503,
          headers: { 'x-request-id': 'r-503' },
          body: { error: 'temporarily_unavailable' },
        },
        { status: 504 },
        { status: 200, body: { here: true } },
      );
      const answer = await transport({ onRetry: (retry) => news.push(retry) }).send(
        get('/x?secret=1'),
      );
      assert.deepEqual(answer.json(), { here: true });
      assert.deepEqual(
        news.map(({ code, tries }) => [tries, code]),
        [
          [1, 'connection_failed'],
          [2, 'connection_failed'],
          [3, 'rate_limited'],
          [4, 'server_error'],
          [5, 'status_502'],
          [6, 'temporarily_unavailable'],
          [7, 'status_504'],
        ],
      );
      assert.deepEqual(
        [news[5]?.requestId, news[5]?.status, news[5]?.call],
        ['r-503', 503, 'GET /x'],
      );
      assert.equal(server.seen.length, 8);
    });

    it('no other status is retried', async () => {
      for (const status of [400, 401, 403, 404, 405, 409, 410, 413, 415, 422, 501]) {
        server.script({ status, body: {} });
        const error = await errorOf(transport().send(get()));
        assert.deepEqual([error.status, server.seen.length], [status, 1]);
      }
    });

    it('the policy limits the retries, and there are none if the caller retries', async () => {
      server.script();
      server.otherwise(() => ({ status: 503, body: {} }));
      const error = await errorOf(transport({ retry: { ...QUICK, triesMax: 3 } }).send(get()));
      assert.deepEqual([error.code, server.seen.length], ['temporarily_unavailable', 3]);
      await errorOf(transport().send({ ...get(), isRetried: false }));
      assert.equal(server.seen.length, 4);
    });

    it('there is no retry if Retry-After exceeds the policy, and the error has Retry-After', async () => {
      server.script({
        status: 429,
        headers: { 'retry-after': '3' },
        body: { error: 'rate_limited' },
      });
      const retry = { ...QUICK, totalMsMax: 2_999 };
      const error = await errorOf(transport({ retry }).send(get()));
      assert.ok(error instanceof RateLimitedError);
      assert.equal(error.retryAfterMs, 3_000);
      assert.equal(server.seen.length, 1);
    });

    it('no retry starts after the time limit of the policy, and an undefined limit means the default', async () => {
      let [now, asked] = [0, 0];
      const fetch = async (): Promise<never> => {
        asked++;
        now += 50;
        return await Promise.reject(new TypeError('fetch failed'));
      };
      const bounded = { ...QUICK, totalMsMax: 120, triesMax: 8 };
      await errorOf(transport({ fetch, now: () => now, retry: bounded }).send(get()));
      assert.equal(asked, 3);
      asked = 0;
      const unset = { ...QUICK, ...Object({ triesMax: undefined }) };
      await errorOf(transport({ fetch, now: () => now, retry: unset }).send(get()));
      assert.equal(asked, 8);
    });

    it('a retry leaves no listener on the signal of the call', async () => {
      server.script({ status: 503 }, { status: 200, body: {} });
      const { signal } = new AbortController();
      await transport().send({ ...get(), signal });
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    });

    it('a retry waits for at least Retry-After', async () => {
      const news: RetryEvent[] = [];
      const headers = { 'retry-after': '1' };
      server.script({ status: 429, headers }, { status: 200, body: {} });
      const begunAt = performance.now();
      await transport({ onRetry: (retry) => news.push(retry) }).send(get());
      assert.ok((news[0]?.delayMs ?? 0) >= 1_000);
      assert.ok(performance.now() - begunAt >= 999);
    });
  });

  describe('a missing response', () => {
    it('a response that is missing at the timeout is an AnswerTimeoutError, even if fetch ignores its signal', async () => {
      server.script('hang');
      const options = { timeoutMs: 30, retry: { triesMax: 1 } };
      const slow = await errorOf(transport(options).send(get()));
      assert.ok(slow instanceof AnswerTimeoutError);
      const deaf = { ...options, fetch: async () => await new Promise<never>(() => undefined) };
      assert.ok((await errorOf(transport(deaf).send(get()))) instanceof AnswerTimeoutError);
    });

    it('the error for an address that refuses connections contains the cause', async () => {
      const request = { method: 'GET' as const, url: 'http://127.0.0.1:9/' };
      const error = await errorOf(
        transport({ retry: { triesMax: 2, firstDelayMs: 1 } }).send(request),
      );
      assert.ok(error instanceof ConnectionFailedError);
      assert.match(error.message, /^connection_failed: fetch failed/u);
      assert.equal(error.call, 'GET /');
    });

    it('an abort by the caller throws the reason, during the call and during the wait', async (t) => {
      const reason = new Error('enough');
      server.script('hang');
      const calling = new AbortController();
      const call = transport().send({ ...get(), signal: calling.signal });
      // Aborts only after the server has the request, which would otherwise arrive during the next
      // test.
      await t.waitFor(() => assert.equal(server.seen.length, 1), { timeout: 30_000 });
      calling.abort(reason);
      await assert.rejects(call, reason);

      server.script({ status: 503, headers: { 'retry-after': '60' } });
      const waiting = new AbortController();
      const onRetry = (): void => waiting.abort(reason);
      await assert.rejects(
        transport({ onRetry }).send({ ...get(), signal: waiting.signal }),
        reason,
      );
      assert.equal(server.seen.length, 1);
    });
  });
});
