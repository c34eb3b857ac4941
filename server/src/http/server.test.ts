import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { openLog, silentLog } from '../base/log.ts';
import { exchangeRaw, readResponses } from '../../test/raw-socket.ts';
import { Drain } from './drain.ts';
import { ApiError } from './errors.ts';
import { createHttpServer, type HttpServerOptions, useErrorBody } from './server.ts';

class Away extends Error {
  override name = 'Away';
}

function makeOptions(lines: string[] = []): HttpServerOptions {
  return {
    log:
      lines.length === 0
        ? silentLog()
        : openLog({ level: 'info', write: (text) => lines.push(text) }),
    drain: new Drain(),
    publicUrl: 'https://cards.example',
    metrics: null,
    trustProxy: false,
    isUnavailable: (error) => error instanceof Away,
    timeouts: { handlerMs: 300, headersMs: 300, requestMs: 300, checkMs: 50 },
  };
}

/** Returns the expected help link (decision 0008). */
function helpOf(code: string): string {
  return `<https://cards.example/docs/errors#${code}>; rel="help"`;
}

function fail(error: unknown): never {
  throw error;
}

async function* breakOff(): AsyncGenerator<string> {
  yield 'a';
  await Promise.reject(new Error('the store is away'));
}

function addRoutes(app: FastifyInstance): void {
  const secret = 'what nobody may see';
  app.get('/throw', () => fail(new Error(secret)));
  app.get('/reject', async () => await Promise.reject(new TypeError(secret)));
  app.get('/throw-null', () => fail(null));
  app.get('/throw-text', async () => fail(secret));
  app.get('/throw-object', async () => fail({ statusCode: 'x' }));
  app.get('/throw-302', () => fail(Object.assign(new Error(secret), { statusCode: 302 })));
  app.get('/throw-418', () => fail(Object.assign(new Error(secret), { statusCode: 418 })));
  app.get('/throw-599', () => fail(Object.assign(new Error(secret), { statusCode: 599 })));
  app.get('/away', () => fail(new Away(secret)));
  app.get('/hang', async () => await new Promise(() => undefined));
  app.get('/bad-header', async (_request, reply) => await reply.header('x-bad', 'a\nb').send('x'));
  app.get(
    '/bad-payload',
    async (_request, reply) => await reply.type('text/plain').send({ a: 1n }),
  );
  app.get('/leftovers', (_request, reply) => {
    reply.headers({ etag: '"x"', 'x-own': secret, 'set-cookie': 'a=b', location: '/x' }).code(201);
    throw new Error(secret);
  });
  app.get('/broken-stream', async (_request, reply) => {
    return await reply.header('content-length', '5').send(Readable.from(breakOff()));
  });
  app.get('/slow', async (_request, reply) => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return await reply.send('slow');
  });
  app.post('/echo', async (request, reply) => await reply.send({ body: request.body ?? null }));
}

describe('the HTTP server (decision 0008)', () => {
  let app: FastifyInstance;
  let port = 0;
  before(async () => {
    const options = makeOptions();
    app = createHttpServer(options);
    addRoutes(app);
    await app.register(
      async (scope) => {
        useErrorBody(scope, options, (error) => ({
          type: 'application/json; charset=utf-8',
          body: JSON.stringify({ error: error.code, detail: error.detail ?? 'A sentence.' }),
        }));
        scope.put('/units/:id', () =>
          fail(new ApiError(409, 'conflict', { detail: 'it was sold' })),
        );
        scope.get('/throw', () => fail(new Error('hidden')));
      },
      { prefix: '/shop/v1' },
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    const address = app.server.address();
    port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  });
  after(async () => await app.close());

  async function call(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    return await fetch(`http://127.0.0.1:${port}${path}`, { method, ...init });
  }

  it('every error of a handler becomes an error body without details', async () => {
    for (const [path, status, code] of [
      ['/throw', 500, 'server_error'],
      ['/reject', 500, 'server_error'],
      ['/throw-null', 500, 'server_error'],
      ['/throw-text', 500, 'server_error'],
      ['/throw-object', 500, 'server_error'],
      ['/throw-302', 500, 'server_error'],
      ['/throw-418', 418, 'invalid_request'],
      ['/throw-599', 599, 'server_error'],
      ['/away', 503, 'temporarily_unavailable'],
      ['/hang', 503, 'temporarily_unavailable'],
      ['/bad-header', 500, 'server_error'],
      ['/bad-payload', 500, 'server_error'],
      ['/leftovers', 500, 'server_error'],
    ] as const) {
      const answer = await call('GET', path);
      assert.equal(answer.status, status, path);
      assert.equal(await answer.text(), `{"error":"${code}"}`, path);
      assert.equal(answer.headers.get('retry-after') !== null, status === 503, path);
      assert.equal(answer.headers.get('cache-control'), 'no-store', path);
      assert.equal(answer.headers.get('link'), helpOf(code), path);
      for (const name of ['etag', 'x-own', 'set-cookie', 'location', 'x-bad']) {
        assert.equal(answer.headers.get(name), null, `${path} ${name}`);
      }
    }
  });

  it('the server closes the connection if a response stream fails, and keeps running', async () => {
    await assert.rejects(async () => await (await call('GET', '/broken-stream')).text());
    assert.equal((await call('GET', '/slow')).status, 200);
  });

  it('every response has the constant headers, and Strict-Transport-Security with https', async () => {
    const { headers } = await call('GET', '/nothing');
    for (const [name, value] of [
      ['cache-control', 'no-store'],
      ['x-content-type-options', 'nosniff'],
      ['referrer-policy', 'no-referrer'],
      ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
      ['x-frame-options', 'DENY'],
      ['cross-origin-resource-policy', 'same-origin'],
      ['strict-transport-security', 'max-age=63072000'],
    ] as const) {
      assert.equal(headers.get(name), value);
    }
    const mine = await call('GET', '/nothing', { headers: { 'x-request-id': 'mine' } });
    assert.match(mine.headers.get('x-request-id') ?? '', /^[0-9a-z]{18}$/);
    assert.notEqual(mine.headers.get('x-request-id'), headers.get('x-request-id'));
  });

  it('each API has its own error body, also for unknown paths and methods below its prefix', async () => {
    for (const [method, path, status, body] of [
      ['PUT', '/shop/v1/units/1', 409, '{"error":"conflict","detail":"it was sold"}'],
      ['GET', '/shop/v1/units/1', 405, '{"error":"method_not_allowed","detail":"A sentence."}'],
      ['GET', '/shop/v1/nothing', 404, '{"error":"not_found","detail":"A sentence."}'],
      ['GET', '/shop/v1/throw', 500, '{"error":"server_error","detail":"A sentence."}'],
      ['GET', '/shop/v2', 404, '{"error":"not_found"}'],
    ] as const) {
      const answer = await call(method, path);
      assert.equal(answer.status, status, path);
      assert.equal(await answer.text(), body);
      assert.equal(answer.headers.get('allow'), status === 405 ? 'PUT' : null);
      const code = /^\{"error":"(\w+)"/.exec(body)?.[1] ?? '';
      assert.equal(answer.headers.get('link'), helpOf(code));
    }
  });

  it('the server accepts only JSON bodies in UTF-8 of up to 16 KiB with application/json', async () => {
    const json = { 'content-type': 'application/json' };
    const full = JSON.stringify('x'.repeat(16_382));
    for (const [headers, body, status] of [
      [json, '{"a":1}', 200],
      [json, '', 200],
      [json, full, 200],
      [json, `${full} `, 413],
      [json, '{', 400],
      [json, Buffer.from([0x22, 0xff, 0x22]), 400],
      [{ 'content-type': 'text/plain' }, 'x', 415],
      [{ 'content-type': 'text/plain' }, '', 200],
      [{ 'content-type': 'application/x-www-form-urlencoded' }, 'a=b', 415],
    ] as const) {
      const answer = await call('POST', '/echo', { headers, body });
      assert.equal(
        answer.status,
        status,
        `${JSON.stringify(headers)} ${String(body).slice(0, 20)}`,
      );
    }
  });

  it('a malformed second request does not replace the response to the first', async () => {
    const first = 'GET /slow HTTP/1.1\r\nHost: x\r\n\r\n';
    const responses = readResponses(await exchangeRaw(port, `${first}BROKEN\r\n\r\n`, 'never'));
    assert.deepEqual(
      responses.map(({ status, body }) => [status, body]),
      [
        [200, 'slow'],
        [400, '{"error":"invalid_request"}'],
      ],
    );
  });

  it('a temporary fault is logged as one warning with every cause and without a stack', async () => {
    const lines: string[] = [''];
    const options = makeOptions(lines);
    const logged = createHttpServer(options);
    const cause = new Error('timeout of cpa_abc');
    logged.get('/away', () => fail(new Away('no connection', { cause })));
    await logged.inject('/away?code=cpc_secret');
    await logged.close();
    options.log.close();
    const [warning, access, ...others] = lines.join('').trim().split('\n');
    const record: Readonly<Record<string, unknown>> = JSON.parse(warning ?? '');
    const { level, path, reason, msg } = record;
    assert.deepEqual(
      [level, path, reason, msg],
      ['warn', '/away', 'no connection: timeout of cpa_[hidden]', 'a request was refused'],
    );
    assert.match(access ?? '', /"status":503/);
    assert.deepEqual(others, []);
  });

  it('the access log has one line per request without the query, and says why a request failed', async () => {
    const lines: string[] = [''];
    const options = makeOptions(lines);
    const logged = createHttpServer(options);
    logged.get('/fail/:id', () => fail(new Error('cpa_abc of a@b.example')));
    await logged.inject('/fail/7?code=cpc_secret&state=x');
    await logged.close();
    options.log.close();
    const records = lines
      .join('')
      .trim()
      .split('\n')
      .map((line) => {
        const record: Readonly<Record<string, unknown>> = JSON.parse(line);
        return record;
      });
    const [access, ...others] = records.filter((record) => record['msg'] === 'request');
    assert.equal(others.length, 0);
    assert.equal(access?.['path'], '/fail/7');
    assert.equal(access['status'], 500);
    const failure = records.find((record) => record['msg'] === 'a request failed');
    assert.equal(failure?.['requestId'], access['requestId']);
    for (const hidden of ['cpa_abc', 'a@b.example', 'cpc_secret', 'state']) {
      assert.ok(!lines.join('').includes(hidden), hidden);
    }
  });

  it('the access log has one line for CONNECT with the X-Request-Id of the response', async () => {
    const lines: string[] = [''];
    const options = makeOptions(lines);
    const logged = createHttpServer(options);
    const url = await logged.listen({ port: 0, host: '127.0.0.1' });
    const port = Number(new URL(url).port);
    const bytes = 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n';
    const [answer] = readResponses(await exchangeRaw(port, bytes));
    await logged.close();
    options.log.close();
    const records = lines.join('').trim().split('\n');
    assert.equal(records.length, 1);
    const record: Readonly<Record<string, unknown>> = JSON.parse(records[0] ?? '');
    const { requestId, method, path, status } = record;
    const id = answer?.headers.get('x-request-id');
    assert.deepEqual([requestId, method, path, status], [id, 'CONNECT', 'a.example:443', 405]);
  });
});
