import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { redactPath } from '../base/log.ts';
import type { Span, SpanAttributes, Tracing } from '../base/tracing.ts';
import { pathOf } from './route-table.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The span of the request. Null without tracing, and for health checks. */
    span: Span | null;
  }
}

/** These requests arrive every few seconds. Their traces would outnumber all others. */
const HEALTH_CHECKS: readonly string[] = ['/livez', '/readyz'];

/** Other methods are recorded as one value, because clients can send any text. */
const METHODS: readonly string[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** A span never has the query, headers or body: they can hold codes, tokens and personal data. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('onRequest', (request, reply, done): void => {
    const route = routeOf(request);
    if (route !== null && HEALTH_CHECKS.includes(route)) {
      done();
      return;
    }
    const span = tracing.startServerSpan(
      { kind: 'server', name: nameOf(request, route), attributes: startAttributes(request, route) },
      traceparentOf(request),
    );
    request.span = span;
    // Unlike `finish`, this event is also emitted if the client disconnects.
    reply.raw.on('close', () => endSpan(span, reply));
    tracing.run(span, done);
  });
  // After the body is parsed, the async context is that of the connection, so enter the span again.
  app.addHook('preValidation', ({ span }, _reply, done): void => {
    if (span === null) done();
    else tracing.run(span, done);
  });
}

/** Returns the pattern of the route, or null if no route matches. */
export function routeOf(request: FastifyRequest): string | null {
  return request.is404 ? null : (request.routeOptions.url ?? null);
}

function methodOf({ method }: FastifyRequest): string | null {
  return METHODS.includes(method) ? method : null;
}

function nameOf(request: FastifyRequest, route: string | null): string {
  const method = methodOf(request) ?? 'HTTP';
  return route === null ? method : `${method} ${route}`;
}

/** @see https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server */
function startAttributes(request: FastifyRequest, route: string | null): SpanAttributes {
  return {
    'http.request.method': methodOf(request) ?? '_OTHER',
    'url.path': redactPath(pathOf(request.originalUrl)),
    'url.scheme': request.protocol,
    'network.protocol.version': request.raw.httpVersion,
    ...(route === null ? {} : { 'http.route': route }),
    'cardport.request.id': request.id,
  };
}

function endSpan(span: Span, { raw, request }: FastifyReply): void {
  const { shopId = null, clientId = null } = request.subject ?? {};
  const ids = {
    ...(shopId === null ? {} : { 'cardport.shop.id': shopId }),
    ...(clientId === null ? {} : { 'cardport.client.id': clientId }),
  };
  if (!raw.headersSent) {
    span.end(null, ids);
    return;
  }
  const status = raw.statusCode;
  span.end(status >= 500 ? String(status) : null, { 'http.response.status_code': status, ...ids });
}

function traceparentOf({ headers }: FastifyRequest): string | undefined {
  const value = headers['traceparent'];
  return typeof value === 'string' ? value : undefined;
}
