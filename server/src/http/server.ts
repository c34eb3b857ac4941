import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { describeError } from '../base/describe-error.ts';
import type { Log } from '../base/log.ts';
import type { Tracing } from '../base/tracing.ts';
import { parseEmptyBody, parseJsonBody } from './body.ts';
import { type ConstantHeaders, constantHeaders } from './constant-headers.ts';
import type { Drain } from './drain.ts';
import { ApiError, renderError, toApiError } from './errors.ts';
import { READY_ROUTE } from './health.ts';
import { createHelpLinks, type HelpLinks } from './help-link.ts';
import type { Metrics } from './metrics.ts';
import { LoadShedder, type LoadShedderBounds } from './load-shedder.ts';
import { JSON_TYPE } from './raw-response.ts';
import { listenToRawEvents, type RawContext, refuseSocket } from './raw-events.ts';
import { registerCommonHeaders } from './prepared-response.ts';
import { createRequestIdGenerator } from './request-id.ts';
import { RequestsInFlight } from './requests-in-flight.ts';
import { pathOf, RouteTable } from './route-table.ts';
import { routeOf, traceRequests } from './traced-requests.ts';

export type ErrorRenderer = (error: ApiError) => { readonly type: string; readonly body: string };

export interface HttpTimeouts {
  /** The maximum time until the headers are read. No browser or app is slower. */
  readonly headersMs: number;
  /** The maximum time until the body is read: 16 MiB at 2 Mbit/s. */
  readonly requestMs: number;
  /**
   * After this time the response is 503. Longer than `requestMs`: a handler may stream the body.
   */
  readonly handlerMs: number;
  /**
   * The time after which an idle connection is closed. Load balancers close theirs after 60 s, and
   * must do so before the server.
   */
  readonly keepAliveMs: number;
  /** The interval at which `headersMs` and `requestMs` are checked. */
  readonly checkMs: number;
}

export interface HttpServerOptions {
  readonly log: Log;
  readonly drain: Drain;
  /** With https, responses have Strict-Transport-Security. */
  readonly publicUrl: string;
  readonly metrics: Metrics | null;
  /** Which proxies to trust in X-Forwarded-For: none, the last n, or those with these addresses. */
  readonly trustProxy: boolean | number | readonly string[];
  /** Recognizes temporary faults, such as a busy or missing database, which become 503. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly outages?: RequestOutages;
  /** If null, no spans are created. */
  readonly tracing?: Tracing | null;
  readonly timeouts?: Partial<HttpTimeouts>;
  /** Overrides limits, for tests. */
  readonly overload?: Partial<LoadShedderBounds>;
}

export interface RequestOutages {
  /** Returns true if the outage is already in the log, so that this request need not be logged. */
  recordRequestFailure(error: unknown): boolean;
  /** Called for every response with 503 except those of `/readyz`. */
  countRefusedRequest(): void;
}

/** The shop and client of a request, for its access line. */
export interface Subject {
  readonly shopId: string | null;
  readonly clientId: string | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    subject: Subject | null;
  }
  interface FastifyInstance {
    readonly requestsInFlight: RequestsInFlight;
    readonly helpLinks: HelpLinks;
    /** Returns true for an outage, which is logged once and not for each request. */
    readonly isLoggedOnce: (error: unknown) => boolean;
  }
}

const TIMEOUTS: HttpTimeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  handlerMs: 90_000,
  keepAliveMs: 72_000,
  checkMs: 1_000,
};
/** The maximum size of a body (decision 0009). Routes for batches and images have higher limits. */
export const BODY_BYTES_MAX = 16_384;
/** This is Node's default. Longer headers get a 431. */
const HEADER_BYTES_MAX = 16_384;
/** Further connections are refused, because each takes a descriptor and about 20 kB. */
const CONNECTIONS_MAX = 20_000;
const PRESERVED_ON_ERROR = new Set(['x-request-id', 'connection', 'ratelimit', 'ratelimit-policy']);

/**
 * Every response, even to malformed input, has the constant headers, an `X-Request-Id` and an exact
 * error body (decision 0008). The server does not listen yet.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const constant = constantHeaders(options.publicUrl);
  const newRequestId = createRequestIdGenerator();
  const links = createHelpLinks(options.publicUrl);
  const requestsInFlight = new RequestsInFlight(timeouts.handlerMs, timeouts.checkMs);
  const closing = new WeakSet<Duplex>();
  const raw: RawContext = {
    constant,
    links,
    newRequestId,
    log: options.log,
    requestsInFlight,
    closing,
  };
  const app = Fastify({
    logger: false,
    genReqId: newRequestId,
    requestIdHeader: false,
    bodyLimit: BODY_BYTES_MAX,
    trustProxy: toTrust(options.trustProxy),
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionTimeout: 0,
    return503OnClosing: false,
    exposeHeadRoutes: true,
    http: {
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Node's own check would not send our error body. `isMalformed` checks the header instead.
      requireHostHeader: false,
    },
    // Fastify skips hooks and error handlers if a URL cannot be decoded.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
      reply.headers({ ...constant, 'x-request-id': request.id });
      const refusal = new ApiError(error.statusCode ?? 400, 'invalid_request');
      sendError(reply, links, refusal, renderJson);
    },
    clientErrorHandler: (error, socket): void => refuseSocket(raw, error, socket),
    routerOptions: {
      // Routes check their parameters, and `maxHeaderSize` already limits the request line.
      maxParamLength: HEADER_BYTES_MAX,
      ignoreTrailingSlash: false,
      caseSensitive: true,
    },
    // Routes check their own input. Fastify's default would load ajv.
    schemaController: {
      compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas },
    },
  });
  app.decorate('helpLinks', links);
  app.decorate('isLoggedOnce', (error) => options.outages?.recordRequestFailure(error) === true);
  app.decorateRequest('subject', null);
  app.decorateRequest('span', null);
  watchRequests(app, requestsInFlight);
  app.server.maxConnections = CONNECTIONS_MAX;
  listenToRawEvents(app, raw);
  const bounds = options.overload ?? {};
  new LoadShedder({ ...options, constant, links, newRequestId, closing, bounds }).guard(app.server);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJsonBody);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, parseEmptyBody);
  registerCommonHeaders(app, constant, options.drain);
  const { tracing = null } = options;
  if (tracing !== null) traceRequests(app, tracing);
  addHooks(app, options);
  useErrorHandler(app, options, renderJson);
  return app;
}

function refuseSchemas(): never {
  throw new Error('a route must check its own input instead of giving Fastify a schema');
}

function toTrust(
  trust: HttpServerOptions['trustProxy'],
): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (typeof trust === 'number') return (_address, hop): boolean => hop < trust;
  return typeof trust === 'boolean' ? trust : [...trust];
}

/** Sets the error body of a scope, also for unknown paths. Call it first in the scope. */
export function useErrorBody(
  scope: FastifyInstance,
  options: Pick<HttpServerOptions, 'log' | 'isUnavailable'>,
  render: ErrorRenderer,
): void {
  useErrorHandler(scope, options, render);
}

function useErrorHandler(
  scope: FastifyInstance,
  options: Pick<HttpServerOptions, 'log' | 'isUnavailable'>,
  render: ErrorRenderer,
): void {
  scope.setErrorHandler((error, request, reply): void => {
    const refusal = toApiError(error, options.isUnavailable);
    const isLoggedOnce = refusal.statusCode === 503 && scope.isLoggedOnce(error);
    if (refusal.statusCode >= 500 && !isLoggedOnce) {
      logFailure(options.log, request, refusal, error);
    }
    sendError(reply, scope.helpLinks, refusal, render);
  });
  // This handler never runs, because a hook of the server refuses unknown paths first. Without the
  // handler, unknown paths below the prefix would not get this scope's error body.
  scope.setNotFoundHandler((_request, _reply): void => {
    throw new ApiError(404, 'not_found');
  });
}

/** A temporary fault (503) is logged as a warning without a stack. */
function logFailure(log: Log, request: FastifyRequest, refusal: ApiError, error: unknown): void {
  const path = pathOf(request.originalUrl);
  const fields = { requestId: request.id, method: request.method, path };
  if (refusal.statusCode === 503) {
    log.warn({ ...fields, reason: describeError(error) }, 'a request was refused');
  } else {
    log.error({ ...fields, error }, 'a request failed');
  }
}

/** Replaces Fastify's timeout, which takes a timer and an `AbortController` for each request. */
function watchRequests(app: FastifyInstance, requestsInFlight: RequestsInFlight): void {
  app.decorate('requestsInFlight', requestsInFlight);
  app.decorateReply('beganAtMs', 0);
  app.decorateReply('indexInFlight', -1);
  app.decorateRequest('signal', {
    getter(this: FastifyRequest): AbortSignal {
      return requestsInFlight.signalOf(this);
    },
  });
  app.addHook('onClose', () => requestsInFlight.close());
}

function addHooks(app: FastifyInstance, options: HttpServerOptions): void {
  const routes = new RouteTable();
  app.addHook('onRoute', (route) => routes.add([route.method].flat(), route.url));
  const { requestsInFlight } = app;
  app.addHook('onRequest', (request, reply, done): void => {
    requestsInFlight.begin(reply);
    // Fastify's `onResponse` hook would add and remove two more listeners.
    reply.raw.on('finish', () => {
      requestsInFlight.end(reply);
      recordResponse(options, reply);
    });
    reply.raw.on('error', ignoreLateWrite);
    if (isMalformed(request.raw)) done(new ApiError(400, 'invalid_request'));
    else if (request.is404) done(routes.refuse(request.originalUrl));
    else done();
  });
}

/** Without an error listener, a write after the end of a response would end the process. */
function ignoreLateWrite(): void {}

function recordResponse({ log, metrics, outages }: HttpServerOptions, reply: FastifyReply): void {
  const { request } = reply;
  const { id, method, subject } = request;
  const status = reply.raw.statusCode;
  const milliseconds = performance.now() - reply.beganAtMs;
  log.access({
    requestId: id,
    method,
    path: pathOf(request.originalUrl),
    status,
    milliseconds,
    shopId: subject?.shopId ?? null,
    clientId: subject?.clientId ?? null,
    trace: request.span,
  });
  const route = routeOf(request);
  if (status === 503 && route !== READY_ROUTE) outages?.countRefusedRequest();
  metrics?.observeRequest(route, status, milliseconds);
}

/**
 * Returns true if the version is not 1.x (RFC 9112 §2.3; without a version, it is HTTP/0.9), there
 * is more than one Host header, or an HTTP/1.1 request has none (§3.2).
 */
function isMalformed(request: IncomingMessage): boolean {
  if (request.httpVersionMajor !== 1) return true;
  let count = 0;
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count++;
  }
  if (count > 1) return true;
  return count === 0 && request.httpVersionMinor === 1;
}

function renderJson(error: ApiError): { readonly type: string; readonly body: string } {
  return { type: JSON_TYPE, body: renderError(error) };
}

function sendError(
  reply: FastifyReply,
  links: HelpLinks,
  error: ApiError,
  render: ErrorRenderer,
): void {
  const constant = reply.getHeaders();
  for (const name of Object.keys(constant)) {
    if (!isPreservedOnError(name)) reply.removeHeader(name);
  }
  const { type, body } = render(error);
  reply.header('link', links(error.code)).headers(error.headers);
  reply.code(error.statusCode).type(type).send(body);
}

function isPreservedOnError(name: string): boolean {
  return PRESERVED_ON_ERROR.has(name) || name in CONSTANT_NAMES;
}

const CONSTANT_NAMES: ConstantHeaders = constantHeaders('https:');
