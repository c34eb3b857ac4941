import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { AttemptFault } from './attempt-fault.ts';

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  /** As the receiver sent it. */
  readonly retryAfter: string | string[] | undefined;
}

/** Outcome of one POST. */
export type Exchange =
  | { readonly kind: 'answered'; readonly head: ResponseHead }
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
  readonly tcpSocket: Socket | undefined;
  /** Responses read completely on this connection. */
  readonly completedResponses: number;
  /** Called when a response was read completely. */
  onResponseComplete(): void;
}

/**
 * Interim 1xx responses accepted before the final one (RFC 9110 §15.2), so that they cannot go on
 * forever.
 */
const INFORMATIONAL_MAX = 8;
/** How often the bytes received before the end of the headers are checked. */
const HEAD_CHECK_MS = 200;
/**
 * Bytes allowed before the end of the headers, as a multiple of `headerBytes`, to include all the
 * framing.
 */
const HEAD_FACTOR = 4;

/**
 * One POST in progress, as a handler for undici's dispatcher. `exchange` resolves when the response
 * headers arrive; `signal` aborts the POST with its reason. Nothing is sent after `deadlineMs`
 * (`performance.now`): the process may have been suspended while connecting.
 */
export class PostHandler implements Dispatcher.DispatchHandler {
  readonly exchange: Promise<Exchange>;
  /** Set once the pool has assigned a connection. */
  connection: PostConnection | undefined;
  readonly #limits: PostLimits;
  readonly #deadlineMs: number;
  readonly #signal: AbortSignal;
  readonly #resolve: (exchange: Exchange) => void;
  #hasRequestStarted = false;
  #abortReason: Error | undefined;
  #hasResponseStarted = false;
  #hasResponse = false;
  #informational = 0;
  #bodyBytes = 0;
  #headTimer: NodeJS.Timeout | undefined;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(limits: PostLimits, deadlineMs: number, signal: AbortSignal) {
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    this.exchange = promise;
    this.#resolve = resolve;
    this.#limits = limits;
    this.#deadlineMs = deadlineMs;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (performance.now() > this.#deadlineMs) {
      this.#abort(new AttemptFault('timeout', 'the connection was established too late'));
    }
    this.#hasRequestStarted = true;
    if (this.#abortReason === undefined) this.#limitHead();
    else controller.abort(this.#abortReason);
  }

  onResponseStarted(): void {
    this.#hasResponseStarted = true;
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      this.#informational++;
      if (this.#informational <= INFORMATIONAL_MAX) return;
      this.#abort(new AttemptFault('protocol', 'too many 1xx responses'));
      return;
    }
    this.#hasResponse = true;
    this.#drainTimer = setTimeout(() => this.#closeConnection(), this.#limits.drainMs);
    this.#settleOnce({ kind: 'answered', head: { status, retryAfter: headers['retry-after'] } });
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bodyBytes += chunk.length;
    if (this.#bodyBytes > this.#limits.bodyBytes) this.#closeConnection();
  }

  onResponseEnd(): void {
    clearTimeout(this.#drainTimer);
    this.connection?.onResponseComplete();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.#drainTimer);
    if (this.#hasResponse) return;
    const isStale = !this.#hasResponseStarted && (this.connection?.completedResponses ?? 0) > 0;
    this.#settleOnce({ kind: 'broken', error, isStale });
  }

  /**
   * undici limits header names and values but not the status line, so we count the bytes received
   * on the socket from the start of the request, which is after the TLS handshake.
   */
  #limitHead(): void {
    const tcpSocket = this.connection?.tcpSocket;
    if (tcpSocket === undefined) return;
    const bytesMax = tcpSocket.bytesRead + this.#limits.headerBytes * HEAD_FACTOR;
    this.#headTimer = setInterval(() => {
      if (tcpSocket.bytesRead <= bytesMax) return;
      this.#abort(new AttemptFault('protocol', 'the response headers are too large'));
    }, HEAD_CHECK_MS);
  }

  readonly #onAbort = (): void => {
    const reason: unknown = this.#signal.reason;
    const isError = reason instanceof Error;
    this.#abort(isError ? reason : new AttemptFault('interrupted', 'aborted'));
  };

  /**
   * Ends the attempt now, even while it waits for a connection, and closes the connection if it has
   * one.
   */
  #abort(error: Error): void {
    this.#abortReason = error;
    this.#settleOnce({ kind: 'broken', error, isStale: false });
    if (this.#hasRequestStarted) this.#closeConnection();
  }

  /**
   * Closes the connection. undici's own abort would leave the request queued, and its agent would
   * never release the origin.
   */
  #closeConnection(): void {
    this.connection?.tcpSocket?.destroy();
  }

  /** Only the first outcome counts. */
  #settleOnce(exchange: Exchange): void {
    clearInterval(this.#headTimer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    this.#resolve(exchange);
  }
}
