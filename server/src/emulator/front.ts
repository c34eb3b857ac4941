import {
  Agent,
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request as send,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { renderRawAnswer, responseUnderWay, statusOfClientError } from '../http/raw-answer.ts';
import { readBytes } from './body-bytes.ts';
import { answerInstead, CONSTANT_HEADERS, newRequestId } from './instead.ts';
import type { RequestLog } from './request-log.ts';
import type { Injury } from './wire-fault.ts';
import type { WireFaults } from './wire-faults.ts';

/** Requests that are under way to the service at once; beyond them they wait in their sockets. */
const CONNECTIONS_MAX = 500;
/** Of a body that is looked at for `grant_type`: the service refuses more than 16 KiB. */
const FORM_BYTES_MAX = 65_536;
/** An idle connection of an app: as long as the service's. */
const KEEP_ALIVE_MS = 72_000;
/** Of an answer that is lost or cut: a page of the feed at its largest has 3 MB. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
/** Told apart from pages and APIs by its first segment. */
export const ADMIN_PATH = '/emulator';

export interface FrontOptions {
  readonly port: number;
  readonly faults: WireFaults;
  readonly log: RequestLog;
  /** Where the service listens; null while there is none. */
  readonly target: () => string | null;
  /** Answers what is sent to `ADMIN_PATH`. */
  readonly admin: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** The address that apps know: it passes everything on to the service, and makes the faults of the wire. */
export class Front implements AsyncDisposable {
  readonly #server: Server;
  readonly #options: FrontOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX });

  private constructor(options: FrontOptions) {
    this.#options = options;
    const settings = { keepAliveTimeout: KEEP_ALIVE_MS, requireHostHeader: false };
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      this.#handle(request, response).catch(() => request.socket.destroy());
    };
    this.#server = createServer(settings, handle);
    this.#server.maxConnections = CONNECTIONS_MAX;
    this.#server.on('checkExpectation', handle);
    this.#server.on('connect', (_request, socket) => refuseTunnel(socket));
    this.#server.on('clientError', answerClientError);
  }

  /** Listens on 127.0.0.1, and nowhere else. */
  static async open(options: FrontOptions): Promise<Front> {
    const front = new Front(options);
    await new Promise<void>((resolve, reject) => {
      front.#server.once('error', reject);
      front.#server.listen(options.port, '127.0.0.1', resolve);
    });
    return front;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = request.url ?? '/';
    const path = address.split('?')[0] ?? '/';
    if (path === ADMIN_PATH || path.startsWith(`${ADMIN_PATH}/`)) {
      await this.#options.admin(request, response);
      return;
    }
    response.on('error', ignoreLateWrite);
    const { faults, log, target } = this.#options;
    const end = log.begin(request.method ?? '', address);
    const isToken = request.method === 'POST' && path === '/auth/oauth2/token';
    const head = isToken && faults.looksForRefreshes ? await readHead(request) : null;
    const isRefresh = head !== null && isRefreshForm(head);
    const injury = faults.take({ path, isRefresh });
    const fault = injury.kinds.length === 0 ? null : injury.kinds.join(', ');
    const service = target();
    if (injury.instead !== null || service === null) {
      const instead = injury.instead ?? { status: 503, retryAfterSeconds: 1 };
      request.resume();
      await hesitate(response, injury.delayMs);
      const publicUrl = `http://127.0.0.1:${this.port}`;
      answerInstead(response, { path, publicUrl }, instead);
      end({ status: instead.status, fault });
      return;
    }
    const onward = this.#open(service, request);
    const answered = answerOf(onward, response);
    // A body that the service refuses by its length is not written: a reset would take the refusal along.
    const isRefused = isLong(request) && (await isRefusedSoon(onward, answered));
    if (isRefused) request.resume();
    else passBody(request, head, onward);
    const answer = await answered;
    end({ status: answer?.statusCode ?? null, fault });
    if (answer === null) request.socket.destroy();
    else await give(answer, response, injury);
  }

  /** Opens the same request to the service, its headers as they came. */
  #open(service: string, request: IncomingMessage): ClientRequest {
    const { hostname, port } = new URL(service);
    return send({
      hostname,
      port,
      agent: this.#agent,
      method: request.method ?? 'GET',
      path: request.url ?? '/',
      headers: withoutHopByHop(request.rawHeaders),
      setHost: false,
    });
  }
}

/** Bytes of a body beyond which most addresses of the service refuse it before they have read it. */
const LONG_BODY_BYTES = 16_384;
/** The service refuses a length within a millisecond; a machine that does much else takes longer. */
const REFUSAL_MS_MAX = 25;

function isLong({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > LONG_BODY_BYTES;
}

/** True when the headers alone are answered within a moment. */
async function isRefusedSoon(onward: ClientRequest, answered: Promise<unknown>): Promise<boolean> {
  onward.flushHeaders();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), REFUSAL_MS_MAX);
  });
  const isAnswered = await Promise.race([answered.then(() => true), late]);
  clearTimeout(timer);
  return isAnswered;
}

/** Sends the body on, its bytes as they come; `head` is what of it was read before. */
function passBody(request: IncomingMessage, head: Buffer | null, onward: ClientRequest): void {
  if (head !== null) onward.write(head);
  request.pipe(onward);
}

/** An app that has gone is told nothing; without a listener the process would end. */
function ignoreLateWrite(): void {
  // Its connection is closed.
}

/** Of this connection, not of the request: each side of the front has its own. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive']);

/** Names and values in turn. */
function withoutHopByHop(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    // The front has answered this one itself; what else is expected is the service's to refuse.
    const isAnswered = /^expect$/i.test(name) && /^100-continue$/i.test(value);
    if (!isAnswered && !HOP_BY_HOP.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/** The beginning of a body; all of it, when it is a form of ours. */
async function readHead(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return await new Promise((resolve, reject) => {
    const take = (piece: Buffer): void => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes <= FORM_BYTES_MAX) return;
      request.pause();
      finish();
    };
    const finish = (): void => {
      request.off('data', take);
      resolve(Buffer.concat(pieces));
    };
    request.on('data', take);
    request.once('end', finish);
    request.once('close', () => reject(new Error('the request broke off')));
  });
}

function isRefreshForm(body: Buffer): boolean {
  return new URLSearchParams(body.toString('latin1')).get('grant_type') === 'refresh_token';
}

/** The answer to `onward`; null when the service broke it off, or the app has gone. */
async function answerOf(
  onward: ClientRequest,
  response: ServerResponse,
): Promise<IncomingMessage | null> {
  return await new Promise((resolve) => {
    onward.once('response', resolve);
    onward.on('error', () => resolve(null));
    response.once('close', () => {
      onward.destroy();
      resolve(null);
    });
  });
}

/** Gives an answer to the app, or what is left of it. */
async function give(
  answer: IncomingMessage,
  response: ServerResponse,
  { delayMs, loss, dripMs }: Injury,
): Promise<void> {
  await hesitate(response, delayMs);
  if (loss === 'all') {
    // The whole answer has come: whatever the request was to do is done.
    await readBytes(answer, ANSWER_BYTES_MAX);
    response.socket?.destroy();
    return;
  }
  response.sendDate = false;
  const headers = withoutHopByHop(answer.rawHeaders);
  response.writeHead(answer.statusCode ?? 500, answer.statusMessage ?? '', headers);
  if (loss === 'half') {
    const body = (await readBytes(answer, ANSWER_BYTES_MAX)) ?? Buffer.alloc(0);
    response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
    return;
  }
  if (dripMs > 0) {
    const body = (await readBytes(answer, ANSWER_BYTES_MAX)) ?? Buffer.alloc(0);
    await drip(response, body, dripMs);
    return;
  }
  answer.pipe(response);
  answer.once('error', () => response.socket?.destroy());
  response.once('close', () => answer.destroy());
}

/** Pieces of a body that drips. */
const DRIPS = 10;

/** Sends a body piece by piece. */
async function drip(response: ServerResponse, body: Buffer, dripMs: number): Promise<void> {
  response.flushHeaders();
  const pieceBytes = Math.max(1, Math.ceil(body.length / DRIPS));
  for (let at = 0; at < body.length && !response.destroyed; at += pieceBytes) {
    await hesitate(response, dripMs);
    response.write(body.subarray(at, at + pieceBytes));
  }
  response.end();
}

/** Waits, unless the app goes away meanwhile. */
async function hesitate(response: ServerResponse, delayMs: number): Promise<void> {
  if (delayMs === 0) return;
  await new Promise<void>((resolve) => {
    const finish = (): void => {
      clearTimeout(timer);
      response.off('close', finish);
      resolve();
    };
    const timer = setTimeout(finish, delayMs);
    response.on('close', finish);
  });
}

/** The front is no proxy for others: as the service, it has no CONNECT. */
function refuseTunnel(socket: Duplex): void {
  const more = { 'x-request-id': newRequestId(), allow: 'GET, HEAD, POST, PUT, DELETE' };
  socket.end(renderRawAnswer(405, CONSTANT_HEADERS, more));
}

/** What Node's parser refused is answered as the service would. */
function answerClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
  if (!socket.writable || responseUnderWay(socket)?.headersSent === true) {
    socket.destroy();
    return;
  }
  socket.end(
    renderRawAnswer(statusOfClientError(error.code), CONSTANT_HEADERS, {
      'x-request-id': newRequestId(),
    }),
  );
}
