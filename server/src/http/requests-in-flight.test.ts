import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { pauseProcess, untilRecovered } from '../../test/paused-process.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { RequestsInFlight } from './requests-in-flight.ts';

const MS_MAX = 60;
const CHECK_MS = 10;

interface Scene extends AsyncDisposable {
  readonly app: FastifyInstance;
  readonly url: string;
  readonly port: number;
  readonly requestsInFlight: RequestsInFlight;
  /** Returns the number of responses that were sent. */
  readonly answered: () => number;
}

async function startScene(
  handler: (
    request: FastifyRequest,
    reply: FastifyReply,
    requestsInFlight: RequestsInFlight,
  ) => unknown,
  msMax = MS_MAX,
): Promise<Scene> {
  const app = Fastify({ logger: false });
  const requestsInFlight = new RequestsInFlight(msMax, CHECK_MS);
  let answers = 0;
  app.addHook('onRequest', (_request, reply, done) => {
    requestsInFlight.begin(reply);
    done();
  });
  app.addHook('onResponse', (_request, reply, done) => {
    requestsInFlight.end(reply);
    answers += 1;
    done();
  });
  app.all('/', (request, reply) => handler(request, reply, requestsInFlight));
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    app,
    url,
    port: Number(new URL(url).port),
    requestsInFlight,
    answered: () => answers,
    [Symbol.asyncDispose]: async () => {
      requestsInFlight.close();
      app.server.closeAllConnections();
      await app.close();
    },
  };
}

describe('requests in flight (decision 0122)', () => {
  it('requests get a 503 if they take too long, and their late response is ignored', async () => {
    const late: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    await using scene = await startScene(async (request, _reply, requestsInFlight) => {
      signals.push(requestsInFlight.signalOf(request));
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
    assert.equal(scene.requestsInFlight.count, 0);
  });

  it('requests are not refused for the time in which this process was paused', async () => {
    await using scene = await startScene(async () => {
      pauseProcess(1_500);
      // The check comes first, as it does if the database has answered during the pause.
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      return 'answered';
    });
    const response = await fetch(scene.url);
    assert.deepEqual([response.status, await response.text()], [200, 'answered']);
    await untilRecovered();
  });

  it('requests are aborted if a response body that has begun does not end in time', async () => {
    const body = new PassThrough();
    await using scene = await startScene((_request, reply) => {
      body.write('begun');
      return reply.send(body);
    });
    const answer = await fetch(scene.url);
    assert.equal(answer.status, 200);
    await assert.rejects(answer.text());
    await waitUntil(() => body.destroyed && scene.requestsInFlight.count === 0);
  });

  it('requests are removed when they end in time, and their signal is not aborted', async () => {
    let signal: AbortSignal | null = null;
    await using scene = await startScene((request, _reply, requestsInFlight) => {
      signal = requestsInFlight.signalOf(request);
      assert.equal(requestsInFlight.signalOf(request), signal);
      return 'in time';
    }, 60_000);
    assert.equal(await (await fetch(scene.url)).text(), 'in time');
    await waitUntil(() => scene.requestsInFlight.count === 0);
    assert.equal(Object(signal).aborted, false);
  });

  it('requests are removed if the client disconnects, and their signal is aborted', async () => {
    const signals: AbortSignal[] = [];
    await using scene = await startScene(async (request, _reply, requestsInFlight) => {
      signals.push(requestsInFlight.signalOf(request));
      return await new Promise(() => undefined);
    }, 60_000);
    const socket = connect({ port: scene.port, host: '127.0.0.1' });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitUntil(() => signals.length === 1);
    assert.equal(scene.requestsInFlight.count, 1);
    assert.equal(signals[0]?.aborted, false);
    socket.destroy();
    await waitUntil(() => signals[0]?.aborted === true && scene.requestsInFlight.count === 0);
    assert.equal(scene.answered(), 0);
  });

  it('requests are answered in order on a connection, and removed if the connection closes', async () => {
    const requests: FastifyRequest[] = [];
    await using scene = await startScene(async (request, _reply, requestsInFlight) => {
      requestsInFlight.signalOf(request);
      requests.push(request);
      return await (requests.length === 1 ? new Promise(() => undefined) : 'behind');
    }, 60_000);
    const { requestsInFlight } = scene;
    assert.equal(requestsInFlight.isBusy, false);
    const socket = connect({ port: scene.port, host: '127.0.0.1' });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    await waitUntil(() => requests.length === 2);
    assert.equal(requestsInFlight.count, 2);
    assert.equal(requestsInFlight.isBusy, true);
    const [first, second] = requests;
    assert.ok(first !== undefined && second !== undefined);
    const reply = requestsInFlight.of(first.raw.socket);
    assert.ok(reply !== undefined);
    assert.equal(reply.request, first);
    requestsInFlight.end(reply);
    requestsInFlight.end(reply);
    assert.equal(requestsInFlight.count, 1);
    assert.equal(requestsInFlight.of(first.raw.socket)?.request, second);
    socket.destroy();
    await waitUntil(() => !requestsInFlight.isBusy);
    await waitUntil(() => requestsInFlight.count === 0);
    assert.equal(requestsInFlight.of(first.raw.socket), undefined);
    assert.equal(scene.answered(), 0);
  });

  it('requests are removed if a handler writes the response without Fastify', async () => {
    await using scene = await startScene(async (_request, reply) => {
      reply.hijack();
      await waitUntil(() => reply.elapsedTime > 2 * MS_MAX);
      reply.raw.end('by hand');
    });
    assert.equal(await (await fetch(scene.url)).text(), 'by hand');
    await waitUntil(() => scene.requestsInFlight.count === 0);
  });
});
