import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { ConstantHeaders } from './constant-headers.ts';
import type { Drain } from './drain.ts';

/** A body in hand; pieces are written one after the other without being copied together. */
export type ReadyBody = string | Buffer | readonly Buffer[];

/** A whole answer in hand: nothing is left to be serialized or read. */
export interface ReadyAnswer {
  readonly status: number;
  /** Names in lower case. What handlers have set on the reply is not looked at. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: `headers` tell all that there is to tell, as with 204, 304, and HEAD of a picture. */
  readonly body: { readonly type: string; readonly bytes: ReadyBody } | null;
}

declare module 'fastify' {
  interface FastifyReply {
    /** What the rate limit tells with whatever is answered: names and values in turn. */
    limitHeaders: readonly string[] | null;
    /** Sets what every answer has and the reply has not: the constant headers, `X-Request-Id`, those of the rate limit. */
    readonly setCommonHeaders: () => void;
    /** Sends a whole answer at once, with what every answer has. */
    readonly sendReady: (answer: ReadyAnswer) => void;
  }
}

/**
 * Gives replies the headers that every answer has, at the moment when it is sent, and lets them send what is in hand past
 * Fastify's own way for whatever a handler may return (decision 0122).
 */
export function sendCommonHeaders(
  app: FastifyInstance,
  constant: ConstantHeaders,
  drain: Drain,
): void {
  const constantFields = Object.entries(constant).flat();
  const isLast = (reply: FastifyReply): boolean =>
    drain.isDraining || hasUnreadBody(reply.request.raw);
  app.decorateReply('limitHeaders', null);
  app.decorateReply('setCommonHeaders', function (this: FastifyReply): void {
    for (const name of Object.keys(constant)) {
      if (!this.hasHeader(name)) this.header(name, constant[name]);
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
  app.decorateReply('sendReady', function (this: FastifyReply, answer: ReadyAnswer): void {
    // Its time was over, and it was answered 503.
    if (this.sent) return;
    const { status, headers, body } = answer;
    const fields =
      headers === undefined
        ? [...constantFields]
        : Object.entries({ ...constant, ...headers }).flat();
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

/** Of an answer to HEAD Node writes the headers only. */
function endWith(response: ServerResponse, bytes: ReadyBody): void {
  if (typeof bytes === 'string' || Buffer.isBuffer(bytes)) {
    response.end(bytes);
    return;
  }
  // Headers and pieces leave with one call of the system.
  response.cork();
  for (const piece of bytes) response.write(piece);
  response.uncork();
  response.end();
}

/** What is left of a body would be read as the next request. */
function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length']) > 0
  );
}
