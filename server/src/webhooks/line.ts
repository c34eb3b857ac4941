import type { Socket } from 'node:net';
import { callbackify } from 'node:util';
import { Client, type Dispatcher } from 'undici';
import { AttemptFault } from './attempt-fault.ts';

/** The head of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** As the receiver sent it. */
  readonly retryAfter: string | string[] | undefined;
}

/** What one POST on a line came to. */
export type Exchange =
  | { readonly kind: 'answered'; readonly head: AnswerHead }
  | {
      readonly kind: 'broken';
      readonly error: unknown;
      /** No byte of an answer came, on a connection that had served before: it may have been closed as we wrote. */
      readonly isStale: boolean;
    };

/** What a POST consists of beside its origin. */
export interface LinePost {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** Past this instant (`performance.now`) not a byte of it is sent: the process may have stood still while it connected. */
  readonly untilMs: number;
}

/** A connection that stands. */
export interface Connected {
  /** What is written to and read from. */
  readonly socket: Socket;
  /** The TCP connection below it; itself without TLS. TLS may take in much that it hands to nobody. */
  readonly wire: Socket;
}

/** Bounds of one line. */
export interface LineLimits {
  /** Of an answer's names and values. */
  readonly headerBytes: number;
  /** Read of an answer's body, so that the connection can be used again; beyond it is dropped. */
  readonly bodyBytes: number;
  /** Waited for the rest of a body. */
  readonly drainMs: number;
  /** Kept open without a notice. A receiver's own `Keep-Alive: timeout` shortens or lengthens it, to `IDLE_MS_MAX`. */
  readonly idleMs: number;
}

/** Longest that a receiver's hint keeps a connection: receivers close idle ones after some seconds, at times without a word. */
const IDLE_MS_MAX = 10_000;
/** Answers of 1xx before the real one (RFC 9110 §15.2): a receiver may send some, and must not send them for ever. */
const INFORMATIONAL_MAX = 8;
/** Between two looks at how much has come in before the end of the headers. */
const LOOK_EVERY_MS = 200;
/** What may come in before the end of the headers, in sizes of the headers: names, values and all that stands around them. */
const HEAD_FACTOR = 4;

/** What a line tells its pool. */
export interface LineEvents {
  /** The answer is read to its end: another notice may go. */
  onFree(line: Line): void;
  /** The connection is gone, or must not be used again. Told once. */
  onGone(line: Line): void;
}

/** One connection to a receiver, one notice at a time: undici's client for HTTP/1.1, with our connector in it. */
export class Line {
  readonly #client: Client;
  readonly #events: LineEvents;
  readonly #limits: LineLimits;
  readonly #connecting = new AbortController();
  #wire: Socket | undefined;
  /** Answers read on this connection. */
  #served = 0;
  #isBusy = false;
  #isGone = false;

  constructor(
    origin: URL,
    connect: (origin: URL, signal: AbortSignal) => Promise<Connected>,
    limits: LineLimits,
    events: LineEvents,
  ) {
    this.#events = events;
    this.#limits = limits;
    this.#client = new Client(origin, {
      connect: (_, callback) => {
        const open = callbackify(async () => await this.#connect(origin, connect));
        open((error, socket) => {
          if (error instanceof Error) callback(error, null);
          else callback(null, socket);
        });
      },
      allowH2: false,
      pipelining: 1,
      // The whole attempt has a limit of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: limits.idleMs,
      keepAliveMaxTimeout: IDLE_MS_MAX,
      maxHeaderSize: limits.headerBytes,
    });
    // A busy line hears of its end through its exchange.
    this.#client.on('disconnect', () => {
      if (!this.#isBusy) this.end();
    });
  }

  async #connect(
    origin: URL,
    connect: (origin: URL, signal: AbortSignal) => Promise<Connected>,
  ): Promise<Socket> {
    this.#served = 0;
    const { socket, wire } = await connect(origin, this.#connecting.signal);
    this.#wire = wire;
    return socket;
  }

  /** Posts, and gives what it came to as soon as the headers are there. `signal` breaks it off with its reason. */
  async post({ untilMs, ...post }: LinePost, signal: AbortSignal): Promise<Exchange> {
    this.#isBusy = true;
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    const breakOff = (): void => broken(signal.reason, true);
    let hasBegun = false;
    let isAnswered = false;
    let informational = 0;
    let bodyBytes = 0;
    let late: NodeJS.Timeout | undefined;
    let bytesBefore: number | undefined;
    const look = setInterval(() => {
      if (bytesBefore === undefined || this.#wire === undefined) return;
      const bytes = this.#wire.bytesRead - bytesBefore;
      if (bytes <= this.#limits.headerBytes * HEAD_FACTOR) return;
      broken(new AttemptFault('protocol', 'headers without an end'), true);
    }, LOOK_EVERY_MS);
    const settle = (exchange: Exchange): void => {
      clearInterval(look);
      signal.removeEventListener('abort', breakOff);
      resolve(exchange);
    };
    const broken = (error: unknown, isOurs = false): void => {
      const isStale = !isOurs && !hasBegun && this.#served > 0;
      settle({ kind: 'broken', error, isStale });
      this.end();
    };
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        // The handshake is over.
        bytesBefore = this.#wire?.bytesRead;
        if (performance.now() <= untilMs) return;
        controller.abort(new AttemptFault('timeout', 'the connection came too late'));
      },
      onResponseStarted: () => {
        hasBegun = true;
      },
      onResponseStart: (_, status, headers) => {
        if (status < 200) {
          informational++;
          if (informational > INFORMATIONAL_MAX) {
            broken(new AttemptFault('protocol', 'more answers of 1xx than may be'), true);
          }
          return;
        }
        isAnswered = true;
        late = setTimeout(() => this.end(), this.#limits.drainMs);
        settle({ kind: 'answered', head: { status, retryAfter: headers['retry-after'] } });
      },
      onResponseData: (_, chunk) => {
        bodyBytes += chunk.length;
        if (bodyBytes > this.#limits.bodyBytes) this.end();
      },
      onResponseEnd: () => {
        clearTimeout(late);
        this.#served++;
        this.#isBusy = false;
        if (!this.#isGone) this.#events.onFree(this);
      },
      onResponseError: (_, error) => {
        clearTimeout(late);
        if (isAnswered) this.end();
        else broken(error);
      },
    };
    signal.addEventListener('abort', breakOff, { once: true });
    if (signal.aborted) breakOff();
    else this.#client.dispatch({ ...post, method: 'POST' }, handler);
    return await promise;
  }

  /** Ends the connection, whatever is on it. */
  end(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    const reason = new AttemptFault('interrupted', 'the line was ended');
    this.#connecting.abort(reason);
    // The promise tells when the socket is closed, which nobody waits for.
    this.#client.destroy(reason).catch(() => undefined);
    this.#events.onGone(this);
  }
}
