import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ConstantHeaders } from './constant-headers.ts';
import type { Drain } from './drain.ts';

/** The body. Several buffers are written one after the other without being joined. */
export type ReadyBody = string | Buffer | readonly Buffer[];

/** A complete response, for which nothing is left to serialize or read. */
export interface ReadyResponse {
  readonly status: number;
  /** The names must be in lower case. Headers that handlers have set on the reply are ignored. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The body, or null for 204, 304, and HEAD of an image. */
  readonly body: { readonly type: string; readonly bytes: ReadyBody } | null;
}

declare module 'fastify' {
  interface FastifyReply {
    /** The rate limit headers of any response, as a flat list of names and values. */
    limitHeaders: readonly string[] | null;
    /** Sets the common headers that are missing: constant headers, `X-Request-Id`, rate limit. */
    readonly setCommonHeaders: () => void;
    readonly sendReady: (response: ReadyResponse) => void;
  }
}

/**
 * Adds the common headers to replies when they are sent, and lets a handler send a complete
 * response without Fastify's serialization (decision 0122).
 */
export function sendCommonHeaders(
  app: FastifyInstance,
  constantHeaders: ConstantHeaders,
  drain: Drain,
): void {
  const constantFields = Object.entries(constantHeaders).flat();
  const isLast = (reply: FastifyReply): boolean =>
    drain.isDraining || hasUnreadBody(reply.request.raw);
  app.decorateReply('limitHeaders', null);
  app.decorateReply('setCommonHeaders', function (this: FastifyReply): void {
    for (const name of Object.keys(constantHeaders)) {
      if (!this.hasHeader(name)) this.header(name, constantHeaders[name]);
    }
    this.header('x-request-id', this.request.id);
    const limitHeaders = this.limitHeaders ?? [];
    for (let at = 0; at < limitHeaders.length; at += 2) {
      this.header(limitHeaders[at] ?? '', limitHeaders[at + 1]);
    }
  });
  app.addHook('onSend', (_request, reply, payload, done): void => {
    reply.setCommonHeaders();
    if (isLast(reply)) reply.header('connection', 'close');
    done(null, payload);
  });
  app.decorateReply('sendReady', function (this: FastifyReply, response: ReadyResponse): void {
    // The request has already timed out and received a 503.
    if (this.sent) return;
    const { status, headers, body } = response;
    const fields =
      headers === undefined
        ? [...constantFields]
        : Object.entries({ ...constantHeaders, ...headers }).flat();
    fields.push('x-request-id', this.request.id);
    if (this.limitHeaders !== null) fields.push(...this.limitHeaders);
    if (isLast(this)) fields.push('connection', 'close');
    if (body === null) {
      this.raw.writeHead(status, fields).end();
      return;
    }
    fields.push('content-type', body.type, 'content-length', String(lengthOf(body.bytes)));
    this.raw.writeHead(status, fields);
    endWith(this.raw, body.bytes);
  });
}

function lengthOf(bytes: ReadyBody): number {
  if (typeof bytes === 'string') return Buffer.byteLength(bytes);
  if (Buffer.isBuffer(bytes)) return bytes.length;
  return bytes.reduce((length, piece) => length + piece.length, 0);
}

/** Writes the body and ends the response. For HEAD, Node writes only the headers. */
function endWith(response: ServerResponse, bytes: ReadyBody): void {
  if (typeof bytes === 'string' || Buffer.isBuffer(bytes)) {
    response.end(bytes);
    return;
  }
  // Send headers and buffers with one system call.
  response.cork();
  for (const piece of bytes) response.write(piece);
  response.uncork();
  response.end();
}

/** Returns whether part of the body is unread and would be parsed as the next request. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length']) > 0
  );
}
