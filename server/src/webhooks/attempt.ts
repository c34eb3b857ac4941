/**
 * Why an attempt failed, as the log and the metrics tell it. `status`: an answer that is neither 2xx, 3xx nor 410.
 * `interrupted`: the worker died or was stopped, so that it is not known what the receiver saw.
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
 * What one POST of a notice came to. `latencyMs` is whole milliseconds from its begin to the answer's headers, the failure
 * or the breaking off; 0 when it was `interrupted` before it went out.
 */
export type AttemptResult =
  | { readonly kind: 'delivered'; readonly status: number; readonly latencyMs: number }
  | {
      readonly kind: 'failed';
      /** Null when no answer came. */
      readonly status: number | null;
      readonly error: AttemptError;
      readonly latencyMs: number;
      /** What a 429 or 503 asked for (RFC 9110 §10.2.3), in seconds, at most 24 h; else null. */
      readonly retryAfterSeconds: number | null;
      /**
       * The error is `reset`, and the connection had served before: not a byte of an answer came. The receiver may have
       * closed it, idle, as we wrote, so this says little of it, and it may have seen the notice or not (decision 0103).
       */
      readonly isStale?: true;
    };

/** A POST that is ready to be sent. */
export interface SignedNotice {
  readonly url: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends a notice under its guard and limits. Never throws: what happens is the result. `signal` breaks it off. */
export interface NoticeSender {
  send(notice: SignedNotice, signal: AbortSignal): Promise<AttemptResult>;
  close(): Promise<void>;
}
