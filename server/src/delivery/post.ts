import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { AttemptFault } from './attempt-fault.ts';

/** The head of an answer. */
export interface AnswerHead {
  readonly status: number;
  /** As the receiver sent it. */
  readonly retryAfter: string | string[] | undefined;
}

/** What one POST came to. */
export type Exchange =
  | { readonly kind: 'answered'; readonly head: AnswerHead }
  | {
      readonly kind: 'broken';
      readonly error: unknown;
      /** No byte of an answer came, on a connection that had served before: it may have been closed as we wrote. */
      readonly isStale: boolean;
    };

/** Bounds of one POST. */
export interface PostLimits {
  /** Of an answer's names and values. */
  readonly headerBytes: number;
  /** Read of an answer's body, so that the connection can be used again; beyond it the connection is closed. */
  readonly bodyBytes: number;
  /** Waited for the rest of a body. */
  readonly drainMs: number;
}

/** What is known of the connection that a POST goes over. */
export interface PostConnection {
  /** Its TCP connection; undefined until it is connected. */
  readonly wire: Socket | undefined;
  /** Answers that were read to their end on it. */
  readonly answers: number;
  /** An answer was read to its end. */
  answered(): void;
}

/** Answers of 1xx before the real one (RFC 9110 §15.2): a receiver may send some, and must not send them for ever. */
const INFORMATIONAL_MAX = 8;
/** Between two looks at how much has come in before the end of the headers. */
const LOOK_EVERY_MS = 200;
/** What may come in before the end of the headers, in sizes of the headers: names, values and all that stands around them. */
const HEAD_FACTOR = 4;

/**
 * One POST on its way, as undici's dispatcher reports it. `exchange` is what it came to, known at the headers of the answer;
 * `signal` breaks it off with its reason. Past `untilMs` (`performance.now`) not a byte is sent: the process may have stood
 * still while it connected.
 */
export class Post implements Dispatcher.DispatchHandler {
  readonly exchange: Promise<Exchange>;
  /** Set when the pool has chosen one. */
  connection: PostConnection | undefined;
  readonly #limits: PostLimits;
  readonly #untilMs: number;
  readonly #signal: AbortSignal;
  readonly #settle: (exchange: Exchange) => void;
  #hasStarted = false;
  #fault: Error | undefined;
  #hasBegun = false;
  #isAnswered = false;
  #informational = 0;
  #bodyBytes = 0;
  #watch: NodeJS.Timeout | undefined;
  #late: NodeJS.Timeout | undefined;

  constructor(limits: PostLimits, untilMs: number, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    this.exchange = promise;
    this.#settle = resolve;
    this.#limits = limits;
    this.#untilMs = untilMs;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (performance.now() > this.#untilMs) {
      this.#breakOff(new AttemptFault('timeout', 'the connection came too late'));
    }
    this.#hasStarted = true;
    if (this.#fault === undefined) this.#watchHead();
    else controller.abort(this.#fault);
  }

  onResponseStarted(): void {
    this.#hasBegun = true;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      this.#informational++;
      if (this.#informational <= INFORMATIONAL_MAX) return;
      this.#breakOff(new AttemptFault('protocol', 'more answers of 1xx than may be'));
      return;
    }
    this.#isAnswered = true;
    this.#late = setTimeout(() => this.#cut(), this.#limits.drainMs);
    this.#end({ kind: 'answered', head: { status, retryAfter: headers['retry-after'] } });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > this.#limits.bodyBytes) this.#cut();
  }

  onResponseEnd(): void {
    clearTimeout(this.#late);
    this.connection?.answered();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#late);
    if (this.#isAnswered) return;
    const isStale = !this.#hasBegun && (this.connection?.answers ?? 0) > 0;
    this.#end({ kind: 'broken', error, isStale });
  }

  /**
   * undici bounds names and values, but no status line, so what comes in on the wire is counted from the beginning of the
   * request, which is after the handshake.
   */
  #watchHead(): void {
    const wire = this.connection?.wire;
    if (wire === undefined) return;
    const bytesMax = wire.bytesRead + this.#limits.headerBytes * HEAD_FACTOR;
    this.#watch = setInterval(() => {
      if (wire.bytesRead <= bytesMax) return;
      this.#breakOff(new AttemptFault('protocol', 'headers without an end'));
    }, LOOK_EVERY_MS);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal.reason;
    const isError = reason instanceof Error;
    this.#breakOff(isError ? reason : new AttemptFault('interrupted', 'broken off'));
  };

  /** Ends the attempt now; its connection with it, also when the POST still waits for one. */
  #breakOff(fault: Error): void {
    this.#fault = fault;
    this.#end({ kind: 'broken', error: fault, isStale: false });
    if (this.#hasStarted) this.#cut();
  }

  /** Closes the connection. undici's own abort would leave the request queued, and its agent would never forget the origin. */
  #cut(): void {
    this.connection?.wire?.destroy();
  }

  /** The first outcome counts. */
  #end(exchange: Exchange): void {
    clearInterval(this.#watch);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#settle(exchange);
  }
}
