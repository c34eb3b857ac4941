import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { constantHeaders } from './constant-headers.ts';
import { serviceUnavailable } from './errors.ts';
import { JSON_TYPE, renderRawResponse, statusOfClientError } from './raw-response.ts';
import { createRequestIdGenerator } from './request-id.ts';
import { BUCKETS_SECONDS, RequestTimes } from './request-times.ts';

export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new RequestTimes(
    'cardport_http_request_duration_seconds',
    'Requests by route and status. The route is "unmatched" when no route matches.',
  );

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** `route` must be the route's pattern. With the path, clients could create endless labels. */
  observeRequest(route: string | null, status: number, milliseconds: number): void {
    this.#requests.observe(route ?? 'unmatched', status, milliseconds);
  }

  /** Adds a gauge. `read` is called at each collection; `NaN` means unknown. */
  addGauge(name: string, help: string, read: () => number): void {
    const gauge = new Gauge({
      name,
      help,
      registers: [this.#registry],
      collect: (): void => gauge.set(read()),
    });
  }

  addLabelledGauge(
    name: string,
    help: string,
    labelNames: readonly string[],
    read: () => readonly LabelledNumber[],
  ): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
      collect: (): void => {
        gauge.reset();
        for (const { labels, value } of read()) gauge.set(labels, value);
      },
    });
  }

  /** Adds a counter. `read` is called at each collection, and its value must never decrease. */
  addReadCounter(name: string, help: string, read: () => number): void {
    const counter = new Counter({
      name,
      help,
      registers: [this.#registry],
      collect: (): void => {
        counter.reset();
        counter.inc(read());
      },
    });
  }

  /** Adds a histogram and returns the function that records a duration in milliseconds. */
  addDuration(name: string, help: string): (milliseconds: number) => void {
    const buckets = BUCKETS_SECONDS;
    const histogram = new Histogram({ name, help, buckets, registers: [this.#registry] });
    return (milliseconds) => histogram.observe(milliseconds / 1_000);
  }

  /** Each label lists all its values, so that every series exists from the start, at 0. */
  addCounter(
    name: string,
    help: string,
    ...labels: readonly CounterLabel[]
  ): (...values: readonly string[]) => void {
    const labelNames = labels.map((label) => label.name);
    const counter = new Counter({ name, help, labelNames, registers: [this.#registry] });
    for (const values of combinations(labels)) counter.labels(...values).inc(0);
    return (...values) => counter.labels(...values).inc();
  }

  async render(): Promise<{ readonly type: string; readonly text: string }> {
    const others = await this.#registry.metrics();
    return { type: this.#registry.contentType, text: `${others}\n${this.#requests.render()}` };
  }
}

export interface LabelledNumber {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface CounterLabel {
  readonly name: string;
  readonly values: readonly string[];
}

function combinations(labels: readonly CounterLabel[]): readonly (readonly string[])[] {
  return labels.reduce<readonly (readonly string[])[]>(
    (begun, { values }) => begun.flatMap((some) => values.map((value) => [...some, value])),
    [[]],
  );
}

/** A server on a separate port, so that the public port never exposes the metrics. */
export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/metrics`, and with `isReady` also `/livez` and `/readyz`. Port 0 means a free port. */
export async function startMetricsServer(
  metrics: Metrics,
  address: { readonly host: string; readonly port: number },
  isReady: (() => boolean) | null = null,
): Promise<MetricsServer> {
  const newRequestId = createRequestIdGenerator();
  const newHeaders = (): Readonly<Record<string, string>> => {
    // Metrics are read over plain HTTP, so Strict-Transport-Security is omitted.
    return { ...constantHeaders('http:'), 'x-request-id': newRequestId() };
  };
  const server = createServer((request, response) => {
    handleRequest({ metrics, isReady }, request, response, newHeaders());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else socket.end(renderRawResponse(statusOfClientError(error.code), newHeaders(), {}));
  });
  await listen(server, address);
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return { port: bound.port, close: async () => await close(server) };
}

interface MetricsSources {
  readonly metrics: Metrics;
  readonly isReady: (() => boolean) | null;
}

function handleRequest(
  { metrics, isReady }: MetricsSources,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): void {
  const send = (status: number, more: OutgoingHttpHeaders, text: string): void => {
    const length = { 'content-length': Buffer.byteLength(text) };
    response.writeHead(status, { ...headers, ...more, ...length }).end(text);
  };
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && isReady !== null && request.url === '/livez') {
    send(200, { 'content-type': JSON_TYPE }, '{"status":"live"}');
    return;
  }
  if (isRead && isReady !== null && request.url === '/readyz') {
    const { statusCode, headers: more, code } = serviceUnavailable();
    if (isReady()) send(200, { 'content-type': JSON_TYPE }, '{"status":"ready"}');
    else send(statusCode, { ...more, 'content-type': JSON_TYPE }, `{"error":"${code}"}`);
    return;
  }
  if (!isRead || request.url !== '/metrics') {
    send(404, {}, '');
    return;
  }
  metrics.render().then(
    ({ type, text }) => send(200, { 'content-type': type }, text),
    () => send(500, {}, ''),
  );
}

async function listen(
  server: Server,
  address: { readonly host: string; readonly port: number },
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => {
    server.close(resolve);
  });
  server.closeAllConnections();
  await closed;
}
