import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { wordsOf } from '../base/error-words.ts';
import type { Log } from '../base/log.ts';
import { parseJson, parseNothing } from './body.ts';
import { type ConstantHeaders, constantHeaders } from './constant-headers.ts';
import type { Drain } from './drain.ts';
import { ApiError, codeOfStatus, renderError, toApiError } from './errors.ts';
import { READY_ROUTE } from './health.ts';
import { type HelpLinks, helpLinks } from './help-link.ts';
import type { Metrics } from './metrics.ts';
import { Overload, type OverloadBounds } from './overload.ts';
import { JSON_TYPE, renderRawAnswer, statusOfClientError } from './raw-answer.ts';
import { sendCommonHeaders } from './ready-answer.ts';
import { makeRequestIds } from './request-id.ts';
import { RequestsUnderWay } from './requests-under-way.ts';
import { pathOf, RouteTable } from './route-table.ts';

/** How the error body of one face is written. */
export type ErrorRenderer = (error: ApiError) => { readonly type: string; readonly body: string };

/** Times that a connection may take, all in milliseconds. */
export interface HttpTimeouts {
  /** Until the headers are read: slower is no browser and no app. */
  readonly headersMs: number;
  /** Until the body is read: 16 MiB at 2 Mbit/s. */
  readonly requestMs: number;
  /** Until a handler has answered (503); longer than `requestMs`, because a handler may read the body as it comes. */
  readonly handlerMs: number;
  /** An idle connection; longer than a balancer's 60 s, so that the balancer is the one that closes. */
  readonly keepAliveMs: number;
  /** How often the first two are looked at. */
  readonly checkMs: number;
}

export interface HttpServerOptions {
  readonly log: Log;
  readonly drain: Drain;
  /** The origin under which the service is reached; https adds Strict-Transport-Security. */
  readonly publicUrl: string;
  /** Null counts nothing. */
  readonly metrics: Metrics | null;
  /** Whose X-Forwarded-For is believed: false, how many proxies, or their addresses. */
  readonly trustProxy: boolean | number | readonly string[];
  /** Knows the faults that pass by themselves (the database is away or busy): they become 503. */
  readonly isUnavailable: (error: unknown) => boolean;
  /** Tells of faults that many requests share, and counts those. */
  readonly outages?: RequestOutages;
  readonly timeouts?: Partial<HttpTimeouts>;
  /** How much the process takes on, for tests. */
  readonly overload?: Partial<OverloadBounds>;
}

/** What is told of requests while something that they need is away. */
export interface RequestOutages {
  /** True when the fault has been told of for all requests: this one has no line. */
  requestFailed(error: unknown): boolean;
  /** A request was answered 503, by whatever answers it. */
  requestRefused(): void;
}

/** Whom a request turned out to be for; the access line names them. */
export interface Subject {
  readonly shopId: string | null;
  readonly clientId: string | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    subject: Subject | null;
  }
  interface FastifyInstance {
    readonly underWay: RequestsUnderWay;
    /** What errors of each code say in `Link`. */
    readonly helpLinks: HelpLinks;
    /** True for a fault that is told of once for all requests. */
    readonly isToldOnce: (error: unknown) => boolean;
  }
}

const TIMEOUTS: HttpTimeouts = {
  headersMs: 10_000,
  requestMs: 60_000,
  handlerMs: 90_000,
  keepAliveMs: 72_000,
  checkMs: 1_000,
};
/** decision 0009: the largest body, but for batches and pictures, whose routes say so themselves. */
export const BODY_BYTES_MAX = 16_384;
/** Node's own limit; a longer header is 431. */
const HEADER_BYTES_MAX = 16_384;
/** Above it new connections are refused: each holds a descriptor and some 20 kB. */
const CONNECTIONS_MAX = 20_000;
/** What stays of a handler's headers when it failed. */
const KEPT_ON_ERROR = new Set(['x-request-id', 'connection', 'ratelimit', 'ratelimit-policy']);
/** What CONNECT is told that it may use instead: every method that some route has. */
const METHODS_OFFERED = 'GET, HEAD, POST, PUT, DELETE';

/**
 * The HTTP server that the faces are mounted on. Whatever is thrown at its socket is answered with the constant
 * headers, an `X-Request-Id` and an exact error body (decision 0008); a face that has a body of its own calls
 * `useErrorBody` in its scope. It does not listen yet.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const constant = constantHeaders(options.publicUrl);
  const newRequestId = makeRequestIds();
  const links = helpLinks(options.publicUrl);
  const underWay = new RequestsUnderWay(timeouts.handlerMs, timeouts.checkMs);
  const closing = new WeakSet<Duplex>();
  const raw: RawContext = { constant, links, newRequestId, log: options.log, underWay, closing };
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
      // Looked at below, so that the answer has our body.
      requireHostHeader: false,
    },
    // A URL that cannot be decoded; hooks and error handlers are passed by.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
      reply.headers({ ...constant, 'x-request-id': request.id });
      const refusal = new ApiError(error.statusCode ?? 400, 'invalid_request');
      sendError(reply, links, refusal, renderJson);
    },
    clientErrorHandler: (error, socket): void => refuseSocket(raw, error, socket),
    routerOptions: {
      // The request line is bounded already; what a long parameter means is its route's to say.
      maxParamLength: HEADER_BYTES_MAX,
      ignoreTrailingSlash: false,
      caseSensitive: true,
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false } },
  });
  app.decorate('helpLinks', links);
  app.decorate('isToldOnce', (error) => options.outages?.requestFailed(error) === true);
  app.decorateRequest('subject', null);
  watchRequests(app, underWay);
  app.server.maxConnections = CONNECTIONS_MAX;
  listenToRawEvents(app, raw);
  const bounds = options.overload ?? {};
  new Overload({ ...options, constant, links, newRequestId, closing, bounds }).guard(app.server);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parseJson);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, parseNothing);
  sendCommonHeaders(app, constant, options.drain);
  addHooks(app, options);
  useErrorHandler(app, options, renderJson);
  return app;
}

function toTrust(
  trust: HttpServerOptions['trustProxy'],
): boolean | string[] | ((address: string, hop: number) => boolean) {
  if (typeof trust === 'number') return (_address, hop): boolean => hop < trust;
  return typeof trust === 'boolean' ? trust : [...trust];
}

/**
 * Gives a face's scope an error body of its own, for its routes and for unknown paths under its prefix.
 * Call it first in the scope.
 */
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
    const isToldOnce = refusal.statusCode === 503 && scope.isToldOnce(error);
    if (refusal.statusCode >= 500 && !isToldOnce) logFailure(options.log, request, refusal, error);
    sendError(reply, scope.helpLinks, refusal, render);
  });
  // The hook of the server has answered before: this only opens the prefix for the scope's own error body.
  scope.setNotFoundHandler((_request, _reply): void => {
    throw new ApiError(404, 'not_found');
  });
}

/** What passes by itself is one line without a stack. */
function logFailure(log: Log, request: FastifyRequest, refusal: ApiError, error: unknown): void {
  const path = pathOf(request.originalUrl);
  const fields = { requestId: request.id, method: request.method, path };
  if (refusal.statusCode === 503) {
    log.warn({ ...fields, reason: wordsOf(error) }, 'a request was turned away');
  } else {
    log.error({ ...fields, error }, 'a request failed');
  }
}

/** Fastify's own limit makes a timer, a listener and an `AbortController` for every request; ours is one timer for all. */
function watchRequests(app: FastifyInstance, underWay: RequestsUnderWay): void {
  app.decorate('underWay', underWay);
  app.decorateReply('beganAtMs', 0);
  app.decorateRequest('signal', {
    getter(this: FastifyRequest): AbortSignal {
      return underWay.signalOf(this);
    },
  });
  app.addHook('onClose', () => underWay.close());
}

function addHooks(app: FastifyInstance, options: HttpServerOptions): void {
  const routes = new RouteTable();
  app.addHook('onRoute', (route) => routes.add([route.method].flat(), route.url));
  app.addHook('onRequest', (request, reply, done): void => {
    app.underWay.begin(reply);
    // Fastify's own hook costs two more listeners, which it takes away again.
    reply.raw.on('finish', () => {
      app.underWay.end(request);
      noteAnswer(options, reply);
    });
    reply.raw.on('error', ignoreLateWrite);
    if (isMalformed(request.raw)) done(new ApiError(400, 'invalid_request'));
    else if (request.is404) done(routes.refuse(request.originalUrl));
    else done();
  });
}

/** Whoever writes behind the end of an answer changes nothing; without a listener the process would end. */
function ignoreLateWrite(): void {
  // The answer has left.
}

/** Writes the access line of an answer that has left, and counts it. */
function noteAnswer({ log, metrics, outages }: HttpServerOptions, reply: FastifyReply): void {
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
  });
  const route = routeOf(request);
  if (status === 503 && route !== READY_ROUTE) outages?.requestRefused();
  metrics?.observeRequest(route, status, milliseconds);
}

/** The pattern of the request's route; null when there is none. */
function routeOf(request: FastifyRequest): string | null {
  return request.is404 ? null : (request.routeOptions.url ?? null);
}

/** RFC 9112 §2.3: the version is 1.x (a line without one is HTTP/0.9). RFC 9112 §3.2: HTTP/1.1 needs exactly one Host. */
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
    if (!isKeptOnError(name)) reply.removeHeader(name);
  }
  const { type, body } = render(error);
  reply.header('link', links(error.code)).headers(error.headers);
  reply.code(error.statusCode).type(type).send(body);
}

function isKeptOnError(name: string): boolean {
  return KEPT_ON_ERROR.has(name) || name in CONSTANT_NAMES;
}

const CONSTANT_NAMES: ConstantHeaders = constantHeaders('https:');

interface RawContext {
  readonly constant: ConstantHeaders;
  readonly links: HelpLinks;
  readonly newRequestId: () => string;
  readonly log: Log;
  readonly underWay: RequestsUnderWay;
  /** Connections that end with an answer that has been sent past Fastify. */
  readonly closing: WeakSet<Duplex>;
}

function listenToRawEvents(app: FastifyInstance, raw: RawContext): void {
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse): void => {
    // RFC 9110 §10.1.1: only 100-continue is known.
    const requestId = raw.newRequestId();
    const body = renderError(new ApiError(417, 'invalid_request'));
    response.writeHead(417, {
      ...raw.constant,
      'x-request-id': requestId,
      link: raw.links('invalid_request'),
      'content-type': JSON_TYPE,
      'content-length': String(body.length),
      connection: 'close',
    });
    response.end(body);
    raw.closing.add(request.socket);
    logRaw(raw, requestId, request.method ?? '-', pathOf(request.url ?? '-'), 417);
  });
  app.server.on('connect', (request: IncomingMessage, socket: Duplex): void => {
    const asked = { method: 'CONNECT', path: pathOf(request.url ?? '-') };
    answerRaw(raw, socket, 405, { allow: METHODS_OFFERED }, asked);
  });
}

function refuseSocket(raw: RawContext, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || raw.closing.has(socket)) {
    socket.destroy();
    return;
  }
  const answer = (): void => answerRaw(raw, socket, statusOfClientError(error.code), {});
  const response = raw.underWay.of(socket)?.raw;
  if (response === undefined) answer();
  // An earlier request on the connection is still being answered: ours would be taken for its answer.
  else if (response.req.complete) response.once('close', answer);
  // The request itself broke off. A response that has begun would be cut in two by another.
  else if (response.headersSent) socket.destroy();
  else answer();
}

function answerRaw(
  raw: RawContext,
  socket: Duplex,
  status: number,
  headers: Readonly<Record<string, string>>,
  asked: { readonly method: string; readonly path: string } = { method: '-', path: '-' },
): void {
  if (!socket.writable) return;
  const requestId = raw.newRequestId();
  socket.on('error', () => socket.destroy());
  const link = raw.links(codeOfStatus(status));
  const more = { ...headers, 'x-request-id': requestId, link };
  socket.end(renderRawAnswer(status, raw.constant, more), () => socket.destroy());
  logRaw(raw, requestId, asked.method, asked.path, status);
}

function logRaw(
  raw: RawContext,
  requestId: string,
  method: string,
  path: string,
  status: number,
): void {
  raw.log.access({
    requestId,
    method,
    path,
    status,
    milliseconds: 0,
    shopId: null,
    clientId: null,
  });
}
