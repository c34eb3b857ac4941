import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { describe, it } from 'node:test';
import { type ServeProcess, startServe } from '../../test/cardport.ts';
import { runCardportInProcess } from '../../test/cardport-in-process.ts';
import { startHookReceiver } from '../../test/hook-receiver.ts';
import {
  type OtlpCollector,
  type ReceivedSpan,
  startOtlpCollector,
} from '../../test/otlp-collector.ts';
import { TEST_SECRET_KEY } from '../../test/service.ts';
import { type ShopWithWebhook, seedShopWithWebhook } from '../../test/shop-with-webhook.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { findFreePort } from '../base/free-port.ts';
import { newId, newSecret } from '../base/secrets.ts';
import { TRACING_PACKAGES } from './open-tracing.ts';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER_SPAN_ID = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE_ID}-${CALLER_SPAN_ID}-01`;

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];

async function startTraced(
  base: TestDatabase,
  environment: Readonly<Record<string, string>>,
): Promise<ServeProcess> {
  return await startServe({
    DATABASE_URL: base.url,
    SECRET_KEY: TEST_SECRET_KEY,
    DRAIN_NOTICE_SECONDS: '0',
    ALLOW_LOOPBACK_WEBHOOKS: 'true',
    OTEL_BSP_SCHEDULE_DELAY: '20',
    ...environment,
  });
}

interface LogLine {
  readonly msg: string;
  readonly path?: string;
  readonly trace_id?: string;
  readonly span_id?: string;
  readonly lostSpans?: number;
  readonly reason?: string;
}

function linesOf(process: ServeProcess, message: string): readonly LogLine[] {
  const texts = process.printed().split('\n');
  const lines = texts.filter((text) => text.startsWith('{') && text.endsWith('}'));
  return lines.map((text) => JSON.parse(text) as LogLine).filter(({ msg }) => msg === message);
}

/**
 * Waits for the matching server span, and returns it with all spans of its trace that the collector
 * received.
 */
async function waitForTrace(
  { spans }: OtlpCollector,
  matches: (span: ReceivedSpan) => boolean,
): Promise<{ readonly server: ReceivedSpan; readonly trace: readonly ReceivedSpan[] }> {
  await waitUntil(() => spans.some(matches));
  const server = spans.find(matches);
  assert.ok(server);
  return { server, trace: spans.filter(({ traceId }) => traceId === server.traceId) };
}

async function putSite(
  url: string,
  { shopKey }: ShopWithWebhook,
  name: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const site = { name, kind: 'store', countryCode: 'JP', timezone: 'Asia/Tokyo' };
  return await fetch(`${url}/shop/v1/sites/${newId()}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${shopKey}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({ ...site, code: newId().slice(0, 8) }),
  });
}

/**
 * Returns settings that print each import of OpenTelemetry to standard error. With `refuses`, the
 * imports fail as if the packages were not installed. Imports by the metrics library are ignored.
 */
function importHook(refuses: boolean): Readonly<Record<string, string>> {
  const refusal = `throw Object.assign(new Error("no " + name), { code: "ERR_MODULE_NOT_FOUND" });`;
  const source = `import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      const isOwn = !context.parentURL?.includes("/node_modules/prom-client/");
      if (isOwn && name.startsWith("@opentelemetry/")) {
        process.stderr.write("imported " + name + "\\n");
        ${refuses ? refusal : ''}
      }
      return next(name, context);
    } });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}

// The tests run concurrently, because they mostly wait for processes.
describe('tracing', { concurrency: 2 }, () => {
  it('spans are sent for a request with its SQL statements, in the caller’s trace, and for a delivery', async () => {
    await using base = await openTestDatabase();
    await using collector = await startOtlpCollector();
    await using receiver = await startHookReceiver();
    await using service = await startTraced(base, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key=of%20the%20collector',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    const secretPath = `path-${newId()}`;
    const secretQuery = `query-${newId()}`;
    const shop = await seedShopWithWebhook(
      base.db,
      `${receiver.url}/${secretPath}?key=${secretQuery}`,
    );
    const name = `店-${newId()}`;
    const tracestate = 'vendor=opaque';
    const put = await putSite(service.url, shop, name, { traceparent: TRACEPARENT, tracestate });
    assert.equal(put.status, 201, await put.text());

    const { server, trace } = await waitForTrace(
      collector,
      ({ kind, traceId }) => kind === SERVER && traceId === TRACE_ID,
    );
    assert.equal(server.name, 'PUT /shop/v1/sites/:id');
    assert.equal(server.parentSpanId, CALLER_SPAN_ID);
    assert.equal(server.status, 0);
    const { attributes } = server;
    assert.equal(attributes['http.request.method'], 'PUT');
    assert.equal(attributes['http.route'], '/shop/v1/sites/:id');
    assert.equal(attributes['http.response.status_code'], 201);
    assert.match(String(attributes['url.path']), /^\/shop\/v1\/sites\/[\da-f-]{36}$/);
    assert.equal(attributes['url.scheme'], 'http');
    assert.equal(attributes['cardport.shop.id'], shop.shop.id);
    assert.equal(attributes['cardport.request.id'], put.headers.get('x-request-id'));
    assert.equal(server.resource['service.name'], 'cardport');
    assert.equal(server.resource['deployment.environment.name'], 'test');

    const transaction = trace.find((span) => span.kind === INTERNAL);
    assert.equal(transaction?.name, 'transaction');
    assert.equal(transaction.parentSpanId, server.spanId);
    const statements = trace.filter((span) => span.kind === CLIENT);
    const inTransaction = statements.filter((span) => span.parentSpanId === transaction.spanId);
    assert.ok(inTransaction.length > 0);
    for (const span of statements) {
      const parents = [server.spanId, transaction.spanId];
      assert.ok(parents.includes(span.parentSpanId), span.name);
      const system = { 'db.system.name': 'postgresql', 'db.query.summary': span.name };
      assert.deepEqual(span.attributes, system);
      assert.match(span.name, /^[a-z_]+$/);
    }
    assert.ok(
      statements.some((span) => span.parentSpanId === server.spanId),
      'the key was looked up outside of the transaction',
    );

    await waitUntil(() => linesOf(service, 'request').some(({ trace_id: id }) => id === TRACE_ID));
    const line = linesOf(service, 'request').find((each) => each.trace_id === TRACE_ID);
    assert.equal(line?.span_id, server.spanId);

    await waitUntil(() => receiver.received.length === 1);
    const delivery = await waitForTrace(collector, (span) => span.name === 'POST');
    assert.equal(delivery.server.kind, CLIENT);
    assert.equal(delivery.server.parentSpanId, '');
    const { headers = {} } = receiver.received[0] ?? {};
    assert.deepEqual(delivery.server.attributes, {
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(receiver.url).port),
      'url.scheme': 'http',
      'cardport.webhook.event_id': headers['webhook-id'],
      'http.response.status_code': 204,
    });
    assert.ok(!('traceparent' in headers) && !('tracestate' in headers));

    // Send every kind of secret in the parts of a request where clients send it.
    const environment = {
      DATABASE_URL: base.url,
      SECRET_KEY: TEST_SECRET_KEY,
      PUBLIC_URL: service.url,
    };
    const args = ['token', '--shop', shop.shop.slug, '--app', shop.app.clientId];
    const scope = ['--member', shop.email, '--scope', 'offline_access inventory:read'];
    const issued = await runCardportInProcess([...args, ...scope, '--json'], { environment });
    assert.equal(issued.code, 0, issued.stderr);
    const { accessToken, refreshToken } = JSON.parse(issued.stdout) as Record<string, string>;
    const code = newSecret('cpc');
    const invitation = newSecret('cpi');
    const pages = [
      `/partner/v1/cards?q=${secretQuery}&access_token=${accessToken}`,
      `/callback?code=${code}&state=${secretQuery}`,
      `/invitations/${invitation}/hana%40kumo.example`,
    ];
    for (const page of pages) {
      await fetch(service.url + page, { headers: { authorization: `Bearer ${accessToken}` } });
    }
    const basic = `${encodeURIComponent(shop.app.clientId)}:${shop.clientSecret}`;
    const refreshed = await fetch(`${service.url}/auth/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(basic)}` },
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: refreshToken ?? '',
        resource: `${service.url}/partner/v1`,
      }),
    });
    assert.equal(refreshed.status, 200);
    const answer = (await refreshed.json()) as Record<string, string>;
    const token = await waitForTrace(
      collector,
      (span) => span.attributes['http.route'] === '/auth/oauth2/token',
    );
    assert.equal(token.server.attributes['cardport.client.id'], shop.app.clientId);
    // On Citus, another statement writes the tokens.
    const written = token.trace.find((span) => /^insert_(issued_)?tokens$/.test(span.name));
    assert.ok(written, 'statements of a request with a body');

    assert.equal(await service.stop('SIGTERM'), 0);
    assert.ok(collector.requests.every(({ path }) => path === '/v1/traces'));
    assert.equal(collector.requests[0]?.headers['api-key'], 'of the collector');
    const bytes = Buffer.concat(collector.requests.map(({ body }) => body)).toString('latin1');
    const sent = (text: string): boolean =>
      bytes.includes(Buffer.from(text, 'utf8').toString('latin1'));
    assert.ok(sent(written.name), 'the search finds what was sent');
    const secrets = {
      name,
      secretPath,
      secretQuery,
      code,
      invitation,
      accessToken,
      refreshToken,
      newAccessToken: answer['access_token'],
      newRefreshToken: answer['refresh_token'],
      basic: btoa(basic),
      clientSecret: shop.clientSecret,
      shopKey: shop.shopKey,
      webhookSecret: shop.secret,
      email: shop.email,
      collectorKey: 'of the collector',
    };
    for (const [what, secret] of Object.entries(secrets)) {
      assert.ok(secret !== undefined && secret.length > 8, what);
      assert.ok(!sent(secret), what);
    }
  });

  it('a new trace starts if the caller sends no valid one, errors are marked, and health checks are omitted', async () => {
    await using base = await openTestDatabase();
    await using collector = await startOtlpCollector();
    await using service = await startTraced(base, {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/otlp/traces`,
      OTEL_SERVICE_NAME: 'my-shop',
    });
    const shop = await seedShopWithWebhook(base.db, 'http://127.0.0.1:1/hook');
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    for (const traceparent of ['', `ff${TRACEPARENT.slice(2)}`, `${TRACEPARENT}-00`]) {
      await fetch(`${service.url}/nowhere/${TRACE_ID}`, { headers: { traceparent } });
    }
    // The service follows the caller's decision not to sample the trace.
    const unsampled = TRACEPARENT.replace(/1$/, '0');
    const put = await putSite(service.url, shop, 'x', { traceparent: unsampled });
    assert.equal(put.status, 201);
    const body = { method: 'PUT', headers: { authorization: `Bearer ${shop.shopKey}` } };
    const refused = await fetch(`${service.url}/shop/v1/sites/${newId()}`, body);
    assert.equal(refused.status, 400);
    await cutRequest(service.url);
    const isSiteRefused = (span: ReceivedSpan): boolean =>
      span.attributes['http.response.status_code'] === 400;
    const { server } = await waitForTrace(collector, isSiteRefused);
    assert.equal(server.status, 0, 'an error of the client is not one of the server');
    const failed = await waitForTrace(collector, (span) => span.name === 'POST');
    assert.equal(failed.server.status, 2);
    assert.equal(failed.server.attributes['error.type'], 'connect');
    assert.equal(failed.server.statusMessage, '');
    assert.equal(await service.stop('SIGTERM'), 0);

    const { spans } = collector;
    const unmatched = spans.filter((span) => span.name === 'GET');
    assert.equal(unmatched.length, 3);
    for (const span of unmatched) {
      assert.notEqual(span.traceId, TRACE_ID);
      assert.equal(span.parentSpanId, '');
      assert.equal(span.attributes['http.response.status_code'], 404);
    }
    assert.deepEqual(
      spans.filter((span) => span.traceId === TRACE_ID),
      [],
    );
    assert.ok(linesOf(service, 'request').some((line) => line.trace_id === TRACE_ID));
    assert.deepEqual(
      spans.filter((span) => span.name.includes('readyz')),
      [],
    );
    assert.ok(collector.requests.every(({ path }) => path === '/otlp/traces'));
    assert.equal(server.resource['service.name'], 'my-shop');
  });

  it('an unavailable collector is logged once, and so is its recovery', async () => {
    await using base = await openTestDatabase();
    const port = await findFreePort('127.0.0.1');
    await using service = await startTraced(base, {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      // The timeout is too short for the exporter's retries.
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    const visit = async (): Promise<void> => {
      assert.equal((await fetch(`${service.url}/partner/v1/cards`)).status, 401);
    };
    const away = 'traces cannot be sent to the collector';
    const back = 'traces are sent to the collector again';
    await waitUntil(async () => {
      await visit();
      return linesOf(service, away).length > 0;
    });
    for (let count = 0; count < 100; count += 1) await visit();
    assert.deepEqual(linesOf(service, back), []);
    await using collector = await startOtlpCollector(port);
    await waitUntil(async () => {
      await visit();
      return linesOf(service, back).length > 0;
    });
    assert.ok(collector.spans.length > 0);
    assert.equal(linesOf(service, away).length, 1);
    assert.match(String(linesOf(service, away)[0]?.reason), /ECONNREFUSED/);
    assert.ok(Number(linesOf(service, back)[0]?.lostSpans) > 0);
    assert.equal(await service.stop('SIGTERM'), 0);
    assert.doesNotMatch(service.printed(), /Error:/);
  });

  it('tracing ends within DRAIN_SECONDS when the collector does not answer', async () => {
    await using base = await openTestDatabase();
    await using collector = await startOtlpCollector(0, false);
    await using service = await startTraced(base, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '60000',
      DRAIN_SECONDS: '1',
    });
    await fetch(`${service.url}/partner/v1/cards`);
    await waitUntil(() => collector.requests.length === 1);
    const startedAtMs = performance.now();
    assert.equal(await service.stop('SIGTERM'), 0);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    assert.ok(seconds < 50, `${seconds} of the 60 s of an export`);
  });

  it('OpenTelemetry is imported only if a collector is configured', async () => {
    await using base = await openTestDatabase();
    await using service = await startTraced(base, importHook(false));
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    assert.equal(await service.stop('SIGTERM'), 0);
    assert.doesNotMatch(service.printed(), /imported |trace_id/);
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    await using traced = await startTraced(base, { ...importHook(false), ...endpoint });
    assert.match(traced.printed(), /imported @opentelemetry\/sdk-trace/, 'the hook works');
  });

  it('the log says what to install when OpenTelemetry is missing, and the service works without it', async () => {
    await using base = await openTestDatabase();
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
    await using service = await startTraced(base, { ...importHook(true), ...endpoint });
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
    assert.match(
      service.printed(),
      /^cardport: no traces are sent, because OpenTelemetry is not installed: run npm install @/m,
    );
    assert.doesNotMatch(service.printed(), /trace_id/);
  });

  it('the recommended package versions are those in package.json', () => {
    const file = new URL('../../package.json', import.meta.url);
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly peerDependencies: Readonly<Record<string, string>>;
      readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
    };
    const { peerDependencies, peerDependenciesMeta } = manifest;
    const named = Object.entries(peerDependencies).map(([name, range]) => {
      assert.equal(peerDependenciesMeta[name]?.optional, true);
      return `${name}@${range.replace(/^~(.*)\.\d+$/, '$1')}`;
    });
    assert.deepEqual(named, TRACING_PACKAGES);
  });
});

/** Sends half of a request, and then closes the connection. */
async function cutRequest(url: string): Promise<void> {
  await new Promise<void>((resolve) => {
    const headers = { 'content-length': '100', 'content-type': 'application/json' };
    const request = httpRequest(`${url}/auth/oauth2/token`, { method: 'POST', headers });
    request.on('error', () => resolve());
    request.write('{', () => request.destroy(new Error('cut')));
  });
}
