import {
  respondToNotice,
  BODY_MS_MAX,
  METHOD_NOT_ALLOWED,
  NOTICE_BYTES_MAX,
  type NoticeResponse,
  type NoticeHandlerOptions,
} from './notice-response.ts';

/** A request of `node:http` or Express. `IncomingMessage` satisfies this interface. */
export interface NodeRequest {
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly readableDidRead: boolean;
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown;
  on(event: 'end' | 'error' | 'close', listener: () => void): unknown;
  resume(): unknown;
}

/** A response of `node:http`. `ServerResponse` satisfies this interface. */
export interface NodeResponse {
  readonly headersSent: boolean;
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(text?: string): unknown;
}

/**
 * Creates a notice handler for `node:http` and Express. In Express, register it before any body
 * parser, or after `express.raw({ type: 'application/json' })`: `express.json()` loses the raw
 * bytes, which the handler reports as an error. It responds with 204 after `onNotice` has
 * succeeded, with 400, 401 or 413 to an invalid request, and with 500 when `onNotice` failed, so
 * that the service retries.
 *
 * @example
 * createServer(nodeNoticeHandler({ secret, onNotice: () => follower.wake() })).listen(8090);
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
  { status, headers, text }: NoticeResponse,
  isWhole = true,
): void {
  // Another handler has already responded, for example a timeout middleware.
  if (response.headersSent) return;
  // Closes the connection instead of waiting for the rest of a body that is too large or too slow.
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
    send(response, METHOD_NOT_ALLOWED);
    return;
  }
  const body = await readRawBody(request);
  // The sender disconnected, so no response is needed.
  if (body === DISCONNECTED) return;
  const result = await respondToNotice(options, { headers: request.headers, body });
  send(response, result, body !== null);
}

const DISCONNECTED = Symbol('gone');

/** Returns undefined if a JSON parser has already consumed the bytes. */
async function readRawBody(request: NodeRequest): Promise<unknown> {
  const raw = 'rawBody' in request ? request.rawBody : undefined;
  const parsed = 'body' in request ? request.body : undefined;
  const given = [raw, parsed].find((one) => typeof one === 'string' || one instanceof Uint8Array);
  if (given !== undefined) return given;
  return request.readableDidRead ? undefined : await read(request);
}

/** Reads the body, and stops as soon as it exceeds the limit. Returns null on a timeout. */
async function read(request: NodeRequest): Promise<Uint8Array | typeof DISCONNECTED | null> {
  return await new Promise((resolve) => {
    const timer = setTimeout(() => done(null), BODY_MS_MAX);
    function done(body: Uint8Array | typeof DISCONNECTED | null): void {
      clearTimeout(timer);
      resolve(body);
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    request.on('data', (chunk) => {
      if (bytes > NOTICE_BYTES_MAX) return;
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > NOTICE_BYTES_MAX) done(Buffer.concat(chunks));
    });
    request.on('end', () => done(Buffer.concat(chunks)));
    request.on('error', () => done(DISCONNECTED));
    request.on('close', () => done(DISCONNECTED));
  });
}
