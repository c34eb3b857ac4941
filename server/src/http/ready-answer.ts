import type { IncomingMessage, OutgoingHttpHeader } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Drain } from './drain.ts';

/** A body in hand; pieces are written one after the other without being copied together. */
export type ReadyBody = string | Buffer | readonly Buffer[];

/** A whole answer in hand: nothing is left to be serialized or read. */
export interface ReadyAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Null: `headers` tell all that there is to tell, as with 204, 304, and HEAD of a picture. */
  readonly body: { readonly type: string; readonly bytes: ReadyBody } | null;
}

declare module 'fastify' {
  interface FastifyReply {
    /** Sends a whole answer at once; the headers that were set on the reply go along. */
    readonly sendReady: (answer: ReadyAnswer) => void;
  }
}

/** Lets replies send what is in hand, past Fastify's own way for whatever a handler may return (decision 0121). */
export function sendReadyAnswers(app: FastifyInstance, drain: Drain): void {
  app.decorateReply('sendReady', function (this: FastifyReply, answer: ReadyAnswer): void {
    const { raw } = this;
    const { status, headers, body } = answer;
    // Its time was over, and it was answered 503.
    if (this.sent) return;
    const all: Record<string, OutgoingHttpHeader | undefined> = {
      ...this.getHeaders(),
      ...headers,
    };
    if (drain.isDraining || hasUnreadBody(this.request.raw)) all['connection'] = 'close';
    if (body === null) {
      raw.writeHead(status, all).end();
      return;
    }
    all['content-type'] = body.type;
    all['content-length'] = lengthOf(body.bytes);
    raw.writeHead(status, all);
    endWith(raw, body.bytes);
  });
}

function lengthOf(bytes: ReadyBody): number {
  if (typeof bytes === 'string') return Buffer.byteLength(bytes);
  if (Buffer.isBuffer(bytes)) return bytes.length;
  return bytes.reduce((length, piece) => length + piece.length, 0);
}

/** Of an answer to HEAD Node writes the headers only. */
function endWith(response: FastifyReply['raw'], bytes: ReadyBody): void {
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
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  return (
    request.headers['transfer-encoding'] !== undefined ||
    Number(request.headers['content-length']) > 0
  );
}
