import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { AttemptFault } from './attempt-fault.ts';

/** Status and headers of a response. */
export interface AnswerHead {
  readonly status: number;
  /** As the receiver sent it. */
  readonly retryAfter: string | string[] | undefined;
}

/** Outcome of one POST. */
export type Exchange =
  | { readonly kind: 'answered'; readonly head: AnswerHead }
  | {
      readonly kind: 'broken';
      readonly error: unknown;
      /**
       * No byte of a response arrived on a reused connection: the receiver may have closed it as we
       * wrote.
       */
      readonly isStale: boolean;
    };

/** Limits of one POST. */
export interface PostLimits {
  /** Header names and values of a response, in bytes. */
  readonly headerBytes: number;
  /**
   * Response body bytes read so that the connection can be reused; beyond them the connection is
   * closed.
   */
  readonly bodyBytes: number;
  /** How long to wait for the rest of a body. */
  readonly drainMs: number;
}

/** State of the connection that a POST uses. */
export interface PostConnection {
  /** The TCP socket; undefined until connected. */
  readonly wire: Socket | undefined;
  /** Responses read completely on this connection. */
  readonly answers: number;
  /** Called when a response was read completely. */
  answered(): void;
}

/**
 * Interim 1xx responses accepted before the final one (RFC 9110 §15.2), so that they cannot go on
 * forever.
 */
const INFORMATIONAL_MAX = 8;
/** How often the bytes received before the end of the headers are checked. */
const LOOK_EVERY_MS = 200;
/**
 * Bytes allowed before the end of the headers, as a multiple of `headerBytes`, to include all the
 * framing.
 */
const HEAD_FACTOR = 4;

/**
 * One POST in progress, as a handler for undici's dispatcher. `exchange` resolves when the response
 * headers arrive; `signal` aborts the POST with its reason. Nothing is sent after `untilMs`
 * (`performance.now`): the process may have been suspended while connecting.
 */
export class Post implements Dispatcher.DispatchHandler {
  readonly exchange: Promise<Exchange>;
  /** Set once the pool has assigned a connection. */
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
      this.#breakOff(new AttemptFault('timeout', 'the connection was established too late'));
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
      this.#breakOff(new AttemptFault('protocol', 'too many 1xx responses'));
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
   * undici limits header names and values but not the status line, so we count the bytes received
   * on the socket from the start of the request, which is after the TLS handshake.
   */
  #watchHead(): void {
    const wire = this.connection?.wire;
    if (wire === undefined) return;
    const bytesMax = wire.bytesRead + this.#limits.headerBytes * HEAD_FACTOR;
    this.#watch = setInterval(() => {
      if (wire.bytesRead <= bytesMax) return;
      this.#breakOff(new AttemptFault('protocol', 'the response headers are too large'));
    }, LOOK_EVERY_MS);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal.reason;
    const isError = reason instanceof Error;
    this.#breakOff(isError ? reason : new AttemptFault('interrupted', 'aborted'));
  };

  /**
   * Ends the attempt now, even while it waits for a connection, and closes the connection if it has
   * one.
   */
  #breakOff(fault: Error): void {
    this.#fault = fault;
    this.#end({ kind: 'broken', error: fault, isStale: false });
    if (this.#hasStarted) this.#cut();
  }

  /**
   * Closes the connection. undici's own abort would leave the request queued, and its agent would
   * never release the origin.
   */
  #cut(): void {
    this.connection?.wire?.destroy();
  }

  /** Only the first outcome counts. */
  #end(exchange: Exchange): void {
    clearInterval(this.#watch);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#settle(exchange);
  }
}
