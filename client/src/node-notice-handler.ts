import {
  answerNotice,
  BODY_MS_MAX,
  NOT_A_POST,
  NOTICE_BYTES_MAX,
  type NoticeAnswer,
  type NoticeHandlerOptions,
} from './notice-answer.ts';

/** A request of `node:http`, also as Express hands it on: an `IncomingMessage` has this shape. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** True when something has read from the body before. */
  readonly readableDidRead: boolean;
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown;
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  resume(): unknown;
}

/** An answer of `node:http`: a `ServerResponse` has this shape. */
export interface NodeResponse {
  /** True when something has answered already. */
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(text?: string): unknown;
}

/**
 * A handler of notices for `node:http` and for Express. In Express it stands before any body parser, or behind
 * `express.raw({ type: 'application/json' })`: behind `express.json()` the bytes are gone, and it says so. It answers 204
 * when `onNotice` has taken the notice, 400, 401 or 413 to what is none, and 500 when `onNotice` failed: the notice comes
 * again then.
 *
 * @example createServer(nodeNoticeHandler({ secret, onNotice: () => follower.wake() })).listen(8090);
 */
export function nodeNoticeHandler(
  options: NoticeHandlerOptions,
): (request: NodeRequest, response: NodeResponse) => void {
  return (request, response) => {
    handle(options, request, response).catch((error: unknown) => console.error(error));
  };
}

function send(
  response: NodeResponse,
  { status, headers, text }: NoticeAnswer,
  isWhole = true,
): void {
  // Something beside this handler was quicker: a middleware's time limit.
  if (response.headersSent) return;
  // What is left of a body that is too large, or too slow, is not waited for.
  const closing = isWhole && status !== 413 ? {} : { connection: 'close' };
  response.writeHead(status, { ...headers, ...closing });
  if (text === null) response.end();
  else response.end(text);
}

async function handle(
  options: NoticeHandlerOptions,
  request: NodeRequest,
  response: NodeResponse,
): Promise<void> {
  if (request.method !== 'POST') {
    request.resume();
    send(response, NOT_A_POST);
    return;
  }
  const body = await bodyOf(request);
  // The sender broke off, and nobody waits for an answer.
  if (body === GONE) return;
  const answer = await answerNotice(options, { headers: request.headers, body });
  send(response, answer, body !== null);
}

/** What is read from a sender that broke off. */
const GONE = Symbol('gone');

/** The raw body: that which a parser of raw bodies has left, else what is read here; what was parsed before, as it is. */
async function bodyOf(request: NodeRequest): Promise<unknown> {
  const raw = 'rawBody' in request ? request.rawBody : undefined;
  const parsed = 'body' in request ? request.body : undefined;
  const given = [raw, parsed].find((one) => typeof one === 'string' || one instanceof Uint8Array);
  if (given !== undefined) return given;
  return request.readableDidRead ? undefined : await read(request);
}

/** Of a body that is too large, enough of it to see that; null when it took too long. */
async function read(request: NodeRequest): Promise<Uint8Array | typeof GONE | null> {
  return await new Promise((resolve) => {
    const timer = setTimeout(() => done(null), BODY_MS_MAX);
    function done(body: Uint8Array | typeof GONE | null): void {
      clearTimeout(timer);
      resolve(body);
    }
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    request.on('data', (piece) => {
      if (bytes > NOTICE_BYTES_MAX) return;
      pieces.push(piece);
      bytes += piece.length;
      if (bytes > NOTICE_BYTES_MAX) done(Buffer.concat(pieces));
    });
    request.on('end', () => done(Buffer.concat(pieces)));
    request.on('error', () => done(GONE));
    request.on('close', () => done(GONE));
  });
}
