import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { waitUntil } from '../../test/wait-until.ts';
import { HandlerTime } from './handler-time.ts';

const MS_MAX = 60;
const CHECK_MS = 10;

interface Scene extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly port: number;
  readonly time: HandlerTime;
  /** How many answers have left. */
  readonly answered: () => number;
}

async function startScene(
  handler: (request: FastifyRequest, reply: FastifyReply, time: HandlerTime) => unknown,
  msMax = MS_MAX,
): Promise<Scene> {
  const app = Fastify({ logger: false });
  const time = new HandlerTime(msMax, CHECK_MS);
  let answers = 0;
  app.addHook('onRequest', (_request, reply, done) => {
    time.begin(reply);
    done();
  });
  app.addHook('onResponse', (_request, reply, done) => {
    time.end(reply);
    answers += 1;
    done();
  });
  app.all('/', (request, reply) => handler(request, reply, time));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    app,
    url,
    port: Number(new URL(url).port),
    time,
    answered: () => answers,
    [Symbol.asyncDispose]: async () => {
      time.close();
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

describe('the time of a handler (decision 0120)', () => {
  it('ends what takes too long with 503, a read body or none, and takes no notice of the late answer', async () => {
    const late: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    await using scene = await startScene(async (request, _reply, time) => {
      signals.push(time.signalOf(request));
      return await new Promise((resolve) => late.push(() => resolve('late')));
    });
    for (const init of [{}, { method: 'POST', body: 'a body' }]) {
      const answer = await fetch(scene.url, init);
      assert.equal(answer.status, 503);
      assert.ok(answer.headers.has('retry-after'));
      assert.doesNotMatch(await answer.text(), /late/);
    }
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true],
    );
    for (const answer of late) answer();
    await waitUntil(() => scene.answered() === 2);
    assert.equal(scene.time.count, 0);
  });

  it('cuts a body that has begun and does not end', async () => {
    const body = new PassThrough();
    await using scene = await startScene((_request, reply) => {
      body.write('begun');
      return reply.send(body);
    });
    const answer = await fetch(scene.url);
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
    await waitUntil(() => body.destroyed && scene.time.count === 0);
  });

  it('leaves alone what is answered in time, and forgets it with its answer', async () => {
    let signal: AbortSignal | null = null;
    await using scene = await startScene((request, _reply, time) => {
      signal = time.signalOf(request);
      assert.equal(time.signalOf(request), signal);
      return 'in time';
    }, 60_000);
    assert.equal(await (await fetch(scene.url)).text(), 'in time');
    await waitUntil(() => scene.time.count === 0);
    assert.equal(Object(signal).aborted, false);
  });

  it('forgets a client that hung up, and aborts its signal', async () => {
    const signals: AbortSignal[] = [];
    await using scene = await startScene(async (request, _reply, time) => {
      signals.push(time.signalOf(request));
      return await new Promise(() => undefined);
    }, 60_000);
    const socket = connect({ port: scene.port, host: '127.0.0.1' });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitUntil(() => signals.length === 1);
    assert.equal(scene.time.count, 1);
    assert.equal(signals[0]?.aborted, false);
    socket.destroy();
    await waitUntil(() => signals[0]?.aborted === true && scene.time.count === 0);
    assert.equal(scene.answered(), 0);
  });

  it('forgets an answer that waits behind another on a connection that broke', async () => {
    let count = 0;
    await using scene = await startScene(async (request, _reply, time) => {
      time.signalOf(request);
      count += 1;
      return await (count === 1 ? new Promise(() => undefined) : 'behind');
    });
    const socket = connect({ port: scene.port, host: '127.0.0.1' });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    await waitUntil(() => count === 2);
    assert.equal(scene.time.count, 2);
    socket.destroy();
    await waitUntil(() => scene.time.count === 0);
    assert.equal(scene.answered(), 0);
  });

  it('lets go of a reply that somebody else answers', async () => {
    await using scene = await startScene(async (_request, reply) => {
      reply.hijack();
      await waitUntil(() => reply.elapsedTime > 2 * MS_MAX);
      reply.raw.end('by hand');
    });
    assert.equal(await (await fetch(scene.url)).text(), 'by hand');
    await waitUntil(() => scene.time.count === 0);
  });
});
