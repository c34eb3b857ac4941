import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, it, mock } from 'node:test';
import type { ClaimedNotice } from './notice.ts';
import type { NoticeHandlerOptions } from './notice-response.ts';
import { noticeHandler } from './notice-handler.ts';
import { NoticeRefusedError } from './notice-refused.ts';
import { nodeNoticeHandler } from './node-notice-handler.ts';
import { signNotice } from './testing.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

function never(): void {
  assert.fail('it was called');
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

type Ask = (options: NoticeHandlerOptions, init: RequestInit) => Promise<Answer>;

async function askWeb(options: NoticeHandlerOptions, init: RequestInit): Promise<Answer> {
  const response = await noticeHandler(options)(new Request('https://app.example/hook', init));
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function queryNode(options: NoticeHandlerOptions, init: RequestInit): Promise<Answer> {
  const server = createServer(nodeNoticeHandler(options)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/hook`, init);
  const { status, headers } = response;
  const answer = { status, headers, text: await response.text() };
  server.closeAllConnections();
  server.close();
  return answer;
}

const handlers: readonly (readonly [string, Ask])[] = [
  ['noticeHandler', askWeb],
  ['nodeNoticeHandler', queryNode],
];

for (const [name, askHandler] of handlers) {
  describe(name, () => {
    async function post(changes: Partial<NoticeHandlerOptions>, secret = SECRET): Promise<Answer> {
      const notice = await signNotice({ secret });
      const options = { secret: SECRET, onNotice: () => undefined, ...changes };
      return await askHandler(options, { method: 'POST', ...notice });
    }

    it('a notice is answered with 204, without a body and without caching', async () => {
      const { status, text, headers } = await post({});
      assert.deepEqual([status, text, headers.get('cache-control')], [204, '', 'no-store']);
    });

    it('the secret function is called for each notice', async () => {
      const secrets = ['whsec_AAAA', SECRET];
      const secret = mock.fn(async () => secrets);
      assert.equal((await post({ secret })).status, 204);
      secrets.pop();
      assert.equal((await post({ secret })).status, 401);
      assert.equal(secret.mock.callCount(), 2);
    });

    it('a notice is answered with 500 when onNotice fails, so that the service retries, and the error is reported', async () => {
      const told: unknown[] = [];
      const fault = new Error('the database is away');
      const answer = await post({
        onNotice: async () => await Promise.reject(fault),
        onError: (error) => told.push(error),
      });
      assert.deepEqual([answer.status, answer.text, told], [500, 'failed', [fault]]);
    });

    it('every notice is answered with 401 while there is no secret, and the error is reported', async () => {
      for (const secret of ['', [], null, undefined, () => '', () => [], async () => null]) {
        const told: unknown[] = [];
        const onNotice = mock.fn();
        const answer = await post({ secret, onNotice, onError: (error) => told.push(error) });
        assert.deepEqual([answer.status, onNotice.mock.callCount()], [401, 0]);
        assert.match(String(told[0]), /registerWebhook/);
      }
    });

    it('a notice is answered with 500 while the secret is malformed or cannot be looked up', async () => {
      const away = async (): Promise<string> => await Promise.reject(new Error('away'));
      for (const secret of ['secret', [SECRET, 'secret'], () => 'secret', away]) {
        const told: unknown[] = [];
        const answer = await post({ secret, onError: (error) => told.push(error) });
        assert.deepEqual([answer.status, answer.text], [500, 'failed']);
        assert.match(String(told[0]), /registerWebhook|away/);
      }
    });

    it('only the secret of the connection that the notice names is accepted', async () => {
      const secrets = new Map([
        ['c-1', SECRET],
        ['c-2', OTHER],
      ]);
      const ask = async (connectionId: string, secret: string): Promise<number> => {
        const init = await signNotice({ secret, notice: { connectionId } });
        const options = {
          secret: (claimed: ClaimedNotice) => secrets.get(claimed.connectionId),
          onNotice: () => undefined,
        };
        return (await askHandler(options, { method: 'POST', ...init })).status;
      };
      assert.deepEqual(
        [
          await ask('c-1', SECRET),
          await ask('c-2', OTHER),
          // The secret of one connection does not verify a notice of another connection.
          await ask('c-2', SECRET),
          await ask('c-3', SECRET),
        ],
        [204, 204, 401, 401],
      );
    });

    it('a secret is looked up only if everything but the signature is valid', async () => {
      const secret = mock.fn(() => SECRET);
      const { body, headers } = await signNotice({ secret: SECRET });
      for (const [init, status] of [
        [{ body: '{', headers }, 400],
        [{ body: body.replace(/"connectionId":"[^"]*"/, '"connectionId":"../c"'), headers }, 400],
        [
          {
            body: body.replace(/"connectionId":"[^"]*"/, `"connectionId":"${'c'.repeat(65)}"`),
            headers,
          },
          400,
        ],
        [{ body, headers: { ...headers, 'X-Service-Signature': 'v1=00' } }, 401],
        [{ body, headers: { ...headers, 'X-Service-Timestamp': '1' } }, 401],
        [{ body, headers: {} }, 400],
      ] as const) {
        const answer = await askHandler({ secret, onNotice: never }, { method: 'POST', ...init });
        assert.equal(answer.status, status);
      }
      assert.equal(secret.mock.callCount(), 0);
    });

    it('refused notices are reported to onError, and not passed to onNotice', async () => {
      const told: unknown[] = [];
      const onNotice = mock.fn();
      const answer = await post({ onNotice, onError: (error) => told.push(error) }, OTHER);
      assert.equal(answer.status, 401);
      assert.ok(told[0] instanceof NoticeRefusedError);
      assert.equal(told[0].reason, 'signature_wrong');
      assert.equal(onNotice.mock.callCount(), 0);
    });

    it('without onError, the receiver’s own faults are logged, but no refused requests', async (t) => {
      const written = t.mock.method(console, 'error', () => undefined);
      await post({}, OTHER);
      assert.equal(written.mock.callCount(), 0);
      await post({ secret: () => null });
      assert.equal(written.mock.callCount(), 0);
      await post({ onNotice: () => assert.fail('broken') });
      await post({ secret: process.env['NEVER_SET'] });
      assert.equal(written.mock.callCount(), 2);
    });

    it('no method except POST is allowed', async () => {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const { status, headers } = await askHandler(
          { secret: SECRET, onNotice: never },
          { method },
        );
        assert.deepEqual([status, headers.get('allow')], [405, 'POST']);
      }
    });

    it('a body of 16,384 bytes is accepted, and one more byte is refused', async () => {
      for (const [bytes, status] of [
        [16_384, 401],
        [16_385, 413],
        [3_000_000, 413],
      ] as const) {
        const { headers } = await signNotice({ secret: SECRET });
        const body = new Blob(['x'.repeat(bytes)]).stream();
        const init: RequestInit = { method: 'POST', headers, body, duplex: 'half' };
        const answer = await askHandler({ secret: SECRET, onNotice: never }, init).catch(
          () => null,
        );
        // A sender that is still writing may see the connection closed before it reads the
        // response.
        assert.ok(answer === null ? bytes > 1_000_000 : answer.status === status, `${bytes}`);
      }
    });

    it('the handler survives an onError that throws', async (t) => {
      const written = t.mock.method(console, 'error', () => undefined);
      const onError = (): never => assert.fail('broken too');
      assert.equal((await post({ onError }, OTHER)).status, 401);
      assert.equal(written.mock.callCount(), 1);
    });

    it('an empty unsigned body is answered with 400', async () => {
      const answer = await askHandler({ secret: SECRET, onNotice: never }, { method: 'POST' });
      assert.deepEqual([answer.status, /X-Service-Timestamp/.test(answer.text)], [400, true]);
    });
  });
}

describe('noticeHandler and an incomplete body', () => {
  type Stream = ReadableStreamDefaultController<Uint8Array>;

  async function answerTo(source: {
    readonly pull?: (stream: Stream) => void;
    readonly cancel?: () => Promise<void>;
  }): Promise<number> {
    const body = new ReadableStream<Uint8Array>(source);
    const request = { method: 'POST', headers: new Headers(), bodyUsed: false, body };
    return (await noticeHandler({ secret: SECRET, onNotice: never })(request)).status;
  }

  it('a body that is cut off is answered with 400', async () => {
    assert.equal(await answerTo({ pull: (stream) => stream.error(new Error('gone')) }), 400);
  });

  it('a body that is too large is answered with 413, even if the sender cannot be stopped', async () => {
    const pull = (stream: Stream): void => stream.enqueue(new Uint8Array(10_000));
    const never413 = answerTo({ pull, cancel: async () => await new Promise(() => undefined) });
    assert.equal(await never413, 413);
    assert.equal(
      await answerTo({ pull, cancel: async () => await Promise.reject(new Error('no')) }),
      413,
    );
  });

  it('a body that is incomplete after 15 seconds is answered with 400, and not earlier', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let status = 0;
      const answered = answerTo({}).then((answer) => (status = answer));
      mock.timers.tick(14_999);
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(status, 0);
      mock.timers.tick(1);
      assert.equal(await answered, 400);
    } finally {
      mock.timers.reset();
    }
  });
});

describe('nodeNoticeHandler', () => {
  it('the handler writes nothing if another handler has responded, and the process survives', async () => {
    const told: unknown[] = [];
    const handle = nodeNoticeHandler({
      secret: SECRET,
      onNotice: never,
      onError: (error) => told.push(error),
    });
    const server = createServer((request, response) => {
      response.writeHead(503, { 'content-length': 0 }).end();
      handle(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const method of ['POST', 'PUT']) {
      const { status } = await fetch(`http://127.0.0.1:${port}/`, { method, body: '{}' });
      assert.equal(status, 503);
    }
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    assert.equal(told.length, 1);
  });

  it('a body that is incomplete after 15 seconds is answered with 400', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const handle = nodeNoticeHandler({ secret: SECRET, onNotice: never });
      const request = Object.assign(new PassThrough(), { method: 'POST', headers: {} });
      const answered = new Promise<number>((resolve) => {
        handle(request, { headersSent: false, writeHead: resolve, end: () => undefined });
      });
      mock.timers.tick(15_000);
      assert.equal(await answered, 400);
    } finally {
      mock.timers.reset();
    }
  });

  it('the handler verifies the bytes that a raw body parser has read', async () => {
    const notice = await signNotice({ secret: SECRET });
    for (const member of ['rawBody', 'body']) {
      const taken = mock.fn();
      const handle = nodeNoticeHandler({ secret: SECRET, onNotice: taken });
      const server = createServer((request, response) => {
        const pieces: Buffer[] = [];
        request.on('data', (piece: Buffer) => pieces.push(piece));
        request.once('end', () => {
          handle(Object.assign(request, { [member]: Buffer.concat(pieces) }), response);
        });
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', ...notice });
      server.close();
      assert.deepEqual([status, taken.mock.callCount()], [204, 1], member);
    }
  });

  it('the handler ends silently when the sender disconnects', async () => {
    const onNotice = mock.fn();
    const handle = nodeNoticeHandler({ secret: SECRET, onNotice, onError: never });
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const server = createServer((request, response) => {
      request.once('close', () => setImmediate(resolve));
      handle(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const sent = httpRequest({ port, method: 'POST', headers: { 'content-length': 100 } });
    sent.on('error', () => undefined);
    sent.write('{', () => sent.destroy());
    await closed;
    server.close();
    assert.equal(onNotice.mock.callCount(), 0);
  });
});
