/**
 * Why an attempt failed, in the log and the metrics. `status`: a response other than 2xx, 3xx or
 * 410. `interrupted`: the worker died or was stopped, so it is unknown what the receiver saw.
 */
export const ATTEMPT_ERRORS = [
  'status',
  'redirect',
  'gone',
  'blocked_address',
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'protocol',
  'interrupted',
] as const;
export type AttemptError = (typeof ATTEMPT_ERRORS)[number];

/**
 * Result of one POST of a notice. `latencyMs`: whole milliseconds from the start to the response
 * headers, the failure or the abort; 0 when it was `interrupted` before it was sent.
 */
export type AttemptResult =
  | { readonly kind: 'delivered'; readonly status: number; readonly latencyMs: number }
  | {
      readonly kind: 'failed';
      /** Null when no response came. */
      readonly status: number | null;
      readonly error: AttemptError;
      readonly latencyMs: number;
      /**
       * The delay that a 429 or 503 requested (RFC 9110 §10.2.3), in seconds, at most 24 h; else
       * null.
       */
      readonly retryAfterSeconds: number | null;
      /**
       * The error is `reset` on a reused connection, before any byte of a response. The receiver
       * may have closed the idle connection as we wrote, so it tells little about the receiver,
       * which may or may not have got the notice (decision 0103).
       */
      readonly isStale?: true;
    };

/** A POST that is ready to send. */
export interface SignedRequest {
  readonly url: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a notice under the address guard and the limits. Never rejects: errors are results.
 * `signal` aborts it.
 */
export interface WebhookSender {
  send(request: SignedRequest, signal: AbortSignal): Promise<AttemptResult>;
  close(): Promise<void>;
}
