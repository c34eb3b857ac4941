import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Log } from '../base/log.ts';
import type { ConstantHeaders } from './constant-headers.ts';
import { ApiError, codeOfStatus, renderError } from './errors.ts';
import type { HelpLinks } from './help-link.ts';
import { JSON_TYPE, renderRawResponse, statusOfClientError } from './raw-response.ts';
import type { RequestsInFlight } from './requests-in-flight.ts';
import { pathOf } from './route-table.ts';

/** The `Allow` header for CONNECT, with every method that at least one route has. */
const METHODS_OFFERED = 'GET, HEAD, POST, PUT, DELETE';

export interface RawContext {
  readonly constant: ConstantHeaders;
  readonly links: HelpLinks;
  readonly newRequestId: () => string;
  readonly log: Log;
  readonly requestsInFlight: RequestsInFlight;
  /** Connections that must close after a response that bypasses Fastify. */
  readonly closing: WeakSet<Duplex>;
}

/** Handles requests that Node does not pass on to Fastify: an unknown `Expect`, and CONNECT. */
export function listenToRawEvents(app: FastifyInstance, raw: RawContext): void {
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse): void => {
    // Node handles 100-continue, the only registered expectation (RFC 9110 §10.1.1).
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
    sendRawResponse(raw, socket, 405, { allow: METHODS_OFFERED }, asked);
  });
}

/** Responds on a connection from which no request could be read. */
export function refuseSocket(raw: RawContext, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || raw.closing.has(socket)) {
    socket.destroy();
    return;
  }
  const answer = (): void => sendRawResponse(raw, socket, statusOfClientError(error.code), {});
  const response = raw.requestsInFlight.of(socket)?.raw;
  if (response === undefined) answer();
  // Wait: the client would take this for the response to its earlier, unanswered request.
  else if (response.req.complete) response.once('close', answer);
  // The response to this incomplete request has begun. A second response would corrupt it.
  else if (response.headersSent) socket.destroy();
  else answer();
}

function sendRawResponse(
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
  socket.end(renderRawResponse(status, raw.constant, more), () => socket.destroy());
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
