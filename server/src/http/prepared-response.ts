import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ConstantHeaders } from './constant-headers.ts';
import type { Drain } from './drain.ts';

/** Several buffers are written one after the other, without a copy that joins them. */
export type PreparedBody = string | Buffer | readonly Buffer[];

export interface PreparedResponse {
  readonly status: number;
  /** Names must be in lower case. Headers that were set on Fastify's reply are not sent. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The body, or null for 204, 304, and HEAD of an image. */
  readonly body: { readonly type: string; readonly bytes: PreparedBody } | null;
}

declare module 'fastify' {
  interface FastifyReply {
    /** Rate limit headers as a flat list of names and values. Every kind of response sends them. */
    limitHeaders: readonly string[] | null;
    /** Sets the constant headers that are missing, `X-Request-Id`, and the rate limit headers. */
    readonly setCommonHeaders: () => void;
    readonly sendPrepared: (response: PreparedResponse) => void;
  }
}

/** Adds the common headers, and lets a handler bypass Fastify's serialization (decision 0122). */
export function registerCommonHeaders(
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
  app.decorateReply(
    'sendPrepared',
    function (this: FastifyReply, response: PreparedResponse): void {
      // A request that timed out has already received a 503.
      if (this.sent) return;
      const { status, headers, body } = response;
      const fields =
        headers === undefined
          ? constantFields.slice()
          : Object.entries({ ...constantHeaders, ...headers }).flat();
      fields.push('x-request-id', this.request.id);
      if (this.limitHeaders !== null) fields.push(...this.limitHeaders);
      if (isLast(this)) fields.push('connection', 'close');
      if (body === null) {
        this.raw.writeHead(status, fields).end();
        return;
      }
      const length = lengthOf(body.bytes);
      fields.push('content-type', body.type, 'content-length', String(length));
      this.raw.writeHead(status, fields);
      endWith(this.raw, body.bytes, length);
    },
  );
}

function lengthOf(bytes: PreparedBody): number {
  if (typeof bytes === 'string') return Buffer.byteLength(bytes);
  if (Buffer.isBuffer(bytes)) return bytes.length;
  return bytes.reduce((length, piece) => length + piece.length, 0);
}

/** Writes the body and ends the response. For HEAD, Node writes only the headers. */
function endWith(response: ServerResponse, bytes: PreparedBody, length: number): void {
  if (typeof bytes === 'string') {
    // Node sends headers and text as one string. As many bytes as characters mean ASCII, for which
    // both encodings are the same, and Latin-1 needs no conversion.
    response.end(bytes, bytes.length === length ? 'latin1' : 'utf8');
    return;
  }
  if (Buffer.isBuffer(bytes)) {
    response.end(bytes);
    return;
  }
  // Send headers and buffers with one system call.
  response.cork();
  for (const piece of bytes) response.write(piece);
  response.uncork();
  response.end();
}

/** Returns true if part of the body is unread. It would be parsed as the next request. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length']) > 0
  );
}
