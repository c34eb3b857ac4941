import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { silentLog } from '../base/log.ts';
import { Drain } from './drain.ts';
import type { PreparedResponse } from './prepared-response.ts';
import { createHttpServer } from './server.ts';

const TEXT = '{"name":"リザードン"}';
const BODIES: Readonly<Record<string, PreparedResponse>> = {
  '/text': { status: 200, body: { type: 'application/json', bytes: TEXT } },
  '/bytes': { status: 200, body: { type: 'application/json', bytes: Buffer.from(TEXT) } },
  // The pieces split a character, and one piece is empty. The other body has no pieces.
  '/pieces': { status: 200, body: { type: 'application/json', bytes: piecesOf(TEXT, [9, 9, 11]) } },
  '/none': { status: 200, body: { type: 'application/json', bytes: [] } },
};

describe('a prepared response (RFC 9110 §8.6, §9.3.2; decision 0122)', () => {
  const drain = new Drain();
  let app: FastifyInstance;
  let port = 0;
  before(async () => {
    app = createHttpServer({
      log: silentLog(),
      drain,
      publicUrl: 'https://cards.example',
      metrics: null,
      trustProxy: false,
      isUnavailable: () => false,
    });
    for (const [url, answer] of Object.entries(BODIES)) {
      app.get(url, (_request, reply) => reply.sendPrepared(answer));
    }
    app.get('/twice', (_request, reply) => {
      reply.sendPrepared({ status: 204, body: null });
      reply.sendPrepared({ status: 200, body: { type: 'text/plain', bytes: 'late' } });
    });
    app.get('/own', (_request, reply) =>
      reply.sendPrepared({ status: 304, headers: { 'cache-control': 'private' }, body: null }),
    );
    app.get('/refused', (_request, reply) =>
      reply.sendPrepared({ status: 200, headers: { 'x-bad': 'a\r\nb' }, body: null }),
    );
    port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  });
  after(async () => await app.close());

  it('a response has the same bytes, length and headers for a string, a buffer and several buffers', async () => {
    for (const path of ['/text', '/bytes', '/pieces']) {
      const { status, headers, text } = await ask(port, path);
      assert.equal(status, 200);
      assert.equal(text, TEXT);
      assert.equal(headers['content-length'], String(Buffer.byteLength(TEXT)));
      assert.equal(headers['content-type'], 'application/json');
      assert.equal(headers['cache-control'], 'no-store');
      assert.match(String(headers['x-request-id']), /^[0-9a-z]{18}$/);
      assert.equal(headers['connection'], 'keep-alive');
    }
  });

  it('a response to HEAD has the length and no body', async () => {
    for (const path of ['/text', '/bytes', '/pieces']) {
      const { status, headers, text } = await ask(port, path, { method: 'HEAD' });
      assert.deepEqual([status, text], [200, '']);
      assert.equal(headers['content-length'], String(Buffer.byteLength(TEXT)));
    }
  });

  it('a response is empty with a length of 0 if its list of buffers is empty', async () => {
    const { headers, text } = await ask(port, '/none');
    assert.deepEqual([headers['content-length'], text], ['0', '']);
  });

  it('a response can override common headers, and has no content type or length with 304', async () => {
    const { status, headers } = await ask(port, '/own');
    assert.equal(status, 304);
    assert.equal(headers['cache-control'], 'private');
    assert.equal(headers['content-type'], undefined);
    assert.equal(headers['content-length'], undefined);
  });

  it('a prepared response is ignored if a response has already been sent', async () => {
    const { status, text } = await ask(port, '/twice');
    assert.deepEqual([status, text], [204, '']);
  });

  it('a response with an invalid header becomes a 500', async () => {
    const { status, headers, text } = await ask(port, '/refused');
    assert.deepEqual([status, text], [500, '{"error":"server_error"}']);
    assert.equal(headers['x-bad'], undefined);
  });

  it('the connection is closed if the request’s body was not read', async () => {
    const { headers } = await ask(port, '/text', { body: '{}' });
    assert.equal(headers['connection'], 'close');
  });

  it('the connection is closed while the server drains', async () => {
    drain.begin();
    const { status, headers } = await ask(port, '/text');
    assert.deepEqual([status, headers['connection']], [200, 'close']);
  });
});

interface Asked {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

async function ask(
  port: number,
  path: string,
  { method = 'GET', body = '' }: { readonly method?: string; readonly body?: string } = {},
): Promise<Asked> {
  return await new Promise((resolve, reject) => {
    const headers = { connection: 'keep-alive', 'content-length': Buffer.byteLength(body) };
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          text: Buffer.concat(parts).toString(),
        }),
      );
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

function piecesOf(text: string, cuts: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const ends = [...cuts, bytes.length];
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
}
