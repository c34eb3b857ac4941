import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { exchangeRaw } from '../../test/raw-socket.ts';
import { silentLog } from '../base/log.ts';
import { Drain, drainServer } from './drain.ts';
import { NotReady, registerHealth } from './health.ts';
import { Metrics, startMetricsServer } from './metrics.ts';
import { createHttpServer } from './server.ts';

interface Started {
  readonly app: FastifyInstance;
  readonly drain: Drain;
  readonly url: string;
}

async function start(
  check: () => Promise<readonly string[]>,
  metrics: Metrics | null = null,
): Promise<Started> {
  const drain = new Drain();
  const app = createHttpServer({
    log: silentLog(),
    drain,
    publicUrl: 'http://127.0.0.1',
    metrics,
    trustProxy: false,
    isUnavailable: () => false,
  });
  registerHealth(app, { drain, check });
  app.get('/slow/:ms', async (request, reply) => {
    const ms = Number(/\d+$/.exec(request.url)?.[0]);
    await new Promise((resolve) => setTimeout(resolve, ms).unref());
    return await reply.send('done');
  });
  return { app, drain, url: await app.listen({ port: 0, host: '127.0.0.1' }) };
}

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url);
  await response.text();
  return response.status;
}

describe('health checks', () => {
  it('/readyz returns 200 while the check passes, and /livez always', async () => {
    let isAway = false;
    const check = async (): Promise<readonly string[]> =>
      isAway ? await Promise.reject(new Error('away')) : [];
    const { app, url } = await start(check);
    assert.equal(await statusOf(`${url}/readyz`), 200);
    isAway = true;
    const answer = await fetch(`${url}/readyz`);
    assert.equal(answer.status, 503);
    assert.equal(await answer.text(), '{"error":"temporarily_unavailable"}');
    assert.ok(answer.headers.get('retry-after'));
    assert.equal(await statusOf(`${url}/livez`), 200);
    await app.close();
  });

  it('/readyz says why the service is not ready, or shows the warnings if it is ready', async () => {
    const state: { reason: string | null; warnings: readonly string[] } = {
      reason: 'the index is being built',
      warnings: [],
    };
    const { app, url } = await start(async () => {
      if (state.reason !== null) throw new NotReady(state.reason);
      return await Promise.resolve(state.warnings);
    });
    const refused = await fetch(`${url}/readyz`);
    assert.equal(refused.status, 503);
    assert.ok(refused.headers.get('retry-after'));
    const body = { error: 'temporarily_unavailable', reason: state.reason };
    assert.deepEqual(await refused.json(), body);
    state.reason = null;
    assert.equal(await (await fetch(`${url}/readyz`)).text(), '{"status":"ready"}');
    state.warnings = ['no space left'];
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 200);
    assert.deepEqual(await ready.json(), { status: 'ready', warnings: state.warnings });
    await app.close();
  });

  it('/readyz returns 503 if the check does not end', async () => {
    const { app, url } = await start(async () => await new Promise(() => undefined));
    assert.equal(await statusOf(`${url}/readyz`), 503);
    await app.close();
  });
});

describe('draining', () => {
  it('a draining server returns 503 from /readyz, completes requests, and then refuses new connections', async () => {
    const { app, drain, url } = await start(async () => []);
    const slow = fetch(`${url}/slow/500`);
    await fetch(`${url}/livez`);
    const notice = Promise.withResolvers<void>();
    const drained = drainServer(app, drain, { gracePeriod: notice.promise, deadlineMs: 5_000 });
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 503);
    assert.equal(ready.headers.get('connection'), 'close');
    assert.equal(await statusOf(`${url}/livez`), 200, 'still served during the grace period');
    notice.resolve();
    const answer = await slow;
    assert.equal(await answer.text(), 'done');
    assert.equal(await drained, true);
    await assert.rejects(fetch(`${url}/livez`));
  });

  it('draining aborts unfinished requests at the deadline, and reports that it did', async () => {
    const { app, drain, url } = await start(async () => []);
    const slow = fetch(`${url}/slow/60000`).catch((error: unknown) => error);
    await fetch(`${url}/livez`);
    const notice = Promise.resolve();
    assert.equal(await drainServer(app, drain, { gracePeriod: notice, deadlineMs: 300 }), false);
    assert.ok((await slow) instanceof Error);
  });

  it('draining closes idle connections, and reports that no request was aborted', async () => {
    const { app, drain, url } = await start(async () => []);
    await statusOf(`${url}/livez`);
    const silent = connect(Number(new URL(url).port), '127.0.0.1');
    await once(silent, 'connect');
    await statusOf(`${url}/livez`);
    assert.equal(
      await drainServer(app, drain, { gracePeriod: Promise.resolve(), deadlineMs: 0 }),
      true,
    );
    silent.destroy();
  });
});

describe('the metrics server', () => {
  it('the metrics server shows requests by route and status, but not by path', async () => {
    const metrics = new Metrics();
    metrics.addGauge('cardport_database_pool_clients', 'Clients of the pool.', () => 3);
    const { app, url } = await start(async () => [], metrics);
    await statusOf(`${url}/slow/1`);
    await statusOf(`${url}/slow/2`);
    await statusOf(`${url}/made-up-by-a-caller`);
    assert.equal(await statusOf(`${url}/metrics`), 404);
    const server = await startMetricsServer(metrics, { host: '127.0.0.1', port: 0 });
    const at = `http://127.0.0.1:${server.port}`;
    const text = await (await fetch(`${at}/metrics`)).text();
    assert.match(
      text,
      /cardport_http_request_duration_seconds_count\{route="\/slow\/:ms",status="200"\} 2/,
    );
    assert.match(
      text,
      /cardport_http_request_duration_seconds_count\{route="unmatched",status="404"\} 2/,
    );
    assert.match(text, /cardport_database_pool_clients 3/);
    assert.match(text, /nodejs_eventloop_lag_seconds/);
    assert.ok(!text.includes('made-up'));
    for (const path of ['/', '/livez', '/readyz']) {
      assert.equal(await statusOf(`${at}${path}`), 404, path);
    }
    await server.close();
    await app.close();
  });

  it('the metrics server serves the health checks of a process that has no other port', async () => {
    let isReady = false;
    const address = { host: '127.0.0.1', port: 0 };
    const server = await startMetricsServer(new Metrics(), address, () => isReady);
    const at = `http://127.0.0.1:${server.port}`;
    assert.equal(await statusOf(`${at}/livez`), 200);
    const refused = await fetch(`${at}/readyz`);
    assert.equal(refused.status, 503);
    assert.equal(await refused.text(), '{"error":"temporarily_unavailable"}');
    assert.ok(refused.headers.get('retry-after') && refused.headers.get('x-request-id'));
    isReady = true;
    const ready = await fetch(`${at}/readyz`);
    assert.equal(await ready.text(), '{"status":"ready"}');
    assert.match(ready.headers.get('content-type') ?? '', /^application\/json/);
    const posted = await fetch(`${at}/readyz`, { method: 'POST' });
    assert.equal(posted.status, 404);
    await server.close();
  });

  it('the metrics server sends X-Request-Id and Cache-Control: no-store, also for HEAD and errors', async () => {
    const server = await startMetricsServer(new Metrics(), { host: '127.0.0.1', port: 0 });
    const at = `http://127.0.0.1:${server.port}`;
    const ids = new Set<string | null>();
    for (const [method, path, status] of [
      ['GET', '/metrics', 200],
      ['HEAD', '/metrics', 200],
      ['HEAD', '/', 404],
      ['GET', '/metrics/', 404],
      ['POST', '/metrics', 404],
    ] as const) {
      const response = await fetch(`${at}${path}`, { method });
      assert.equal(response.status, status, `${method} ${path}`);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      ids.add(response.headers.get('x-request-id'));
      const text = await response.text();
      assert.equal(text === '', method !== 'GET' || status !== 200);
    }
    assert.equal(ids.size, 5);
    assert.ok(!ids.has(null));
    const head = await fetch(`${at}/metrics`, { method: 'HEAD' });
    assert.match(head.headers.get('content-type') ?? '', /^text\/plain/);
    const garbled = String(await exchangeRaw(server.port, 'no http at all\r\n\r\n'));
    assert.match(garbled, /^HTTP\/1\.1 400 [^]*cache-control: no-store[^]*x-request-id: /i);
    await server.close();
  });
});
