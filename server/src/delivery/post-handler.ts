import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { AttemptFault } from './attempt-fault.ts';

export interface ResponseHead {
  readonly status: number;
  readonly retryAfter: string | string[] | undefined;
}

export type Exchange =
  | { readonly kind: 'answered'; readonly head: ResponseHead }
  | {
      readonly kind: 'broken';
      readonly error: unknown;
      /** A reused connection failed before any response: the receiver may have closed it. */
      readonly isStale: boolean;
    };

export interface PostLimits {
  /** The maximum total size of the header names and values of a response. */
  readonly headerBytes: number;
  /** A body up to this size is read, to reuse the connection. A longer one closes it. */
  readonly bodyBytes: number;
  /** The longest wait for the rest of a body. */
  readonly drainMs: number;
}

export interface PostConnection {
  /** The socket below TLS; undefined until connected. */
  readonly tcpSocket: Socket | undefined;
  readonly completedResponses: number;
  onResponseComplete(): void;
}

/** A limit on interim 1xx responses (RFC 9110 §15.2), which a receiver could send endlessly. */
const INFORMATIONAL_MAX = 8;
/** How often the number of bytes received before the end of the headers is checked. */
const HEAD_CHECK_MS = 200;
// Bytes allowed before the end of the headers, as a multiple of `headerBytes`. They include
// framing, which `headerBytes` does not.
const HEAD_FACTOR = 4;

/**
 * `exchange` resolves with the response headers or the error of `abort`. Nothing is sent after
 * `deadlineMs` (`performance.now`), because the process may have been suspended while connecting.
 */
export class PostHandler implements Dispatcher.DispatchHandler {
  readonly exchange: Promise<Exchange>;
  /** The connection that carries this POST. `ReceiverAgent` sets it. */
  connection: PostConnection | undefined;
  readonly #limits: PostLimits;
  readonly #deadlineMs: number;
  readonly #resolve: (exchange: Exchange) => void;
  #hasRequestStarted = false;
  #abortReason: Error | undefined;
  #hasResponseStarted = false;
  #hasResponse = false;
  #informational = 0;
  #bodyBytes = 0;
  #headTimer: NodeJS.Timeout | undefined;
  #drainTimer: NodeJS.Timeout | undefined;

  constructor(limits: PostLimits, deadlineMs: number) {
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    this.exchange = promise;
    this.#resolve = resolve;
    this.#limits = limits;
    this.#deadlineMs = deadlineMs;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (performance.now() > this.#deadlineMs) {
      this.abort(new AttemptFault('timeout', 'the connection was established too late'));
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
      this.abort(new AttemptFault('protocol', 'too many 1xx responses'));
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

  // undici limits header names and values but not the status line, so this counts the bytes
  // received on the socket from the start of the request, which is after the TLS handshake.
  #limitHead(): void {
    const tcpSocket = this.connection?.tcpSocket;
    if (tcpSocket === undefined) return;
    const bytesMax = tcpSocket.bytesRead + this.#limits.headerBytes * HEAD_FACTOR;
    this.#headTimer = setInterval(() => {
      if (tcpSocket.bytesRead <= bytesMax) return;
      this.abort(new AttemptFault('protocol', 'the response headers are too large'));
    }, HEAD_CHECK_MS);
  }

  /** Ends the attempt immediately, even while it waits for a connection. */
  abort(error: Error): void {
    this.#abortReason = error;
    this.#settleOnce({ kind: 'broken', error, isStale: false });
    if (this.#hasRequestStarted) this.#closeConnection();
  }

  /** undici's abort would leave the request queued and keep the origin in the agent. */
  #closeConnection(): void {
    this.connection?.tcpSocket?.destroy();
  }

  #settleOnce(exchange: Exchange): void {
    clearInterval(this.#headTimer);
    this.#resolve(exchange);
  }
}
