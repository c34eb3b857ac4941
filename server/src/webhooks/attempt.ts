/**
 * Shown in the attempt log and the metrics. `status`: a response other than 2xx, 3xx or 410.
 * `interrupted`: the worker died, was stopped or paused: the receiver may or may not have the event.
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

/** `latencyMs` is the time to the headers, the failure or the abort; 0 if nothing was sent. */
export type AttemptResult =
  | { readonly kind: 'delivered'; readonly status: number; readonly latencyMs: number }
  | {
      readonly kind: 'failed';
      /** Null when no response came. */
      readonly status: number | null;
      readonly error: AttemptError;
      readonly latencyMs: number;
      /** The `Retry-After` of a 429 or 503 (RFC 9110 §10.2.3), at most 24 h; else null. */
      readonly retryAfterSeconds: number | null;
      /**
       * True for a `reset` of a reused connection before any byte of a response: the receiver may
       * have closed the idle connection while we sent the event (decision 0103).
       */
      readonly isStale?: true;
    };

export interface SignedRequest {
  readonly url: string;
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends events to vetted addresses only, within limits. Never rejects: errors are results. */
export interface WebhookSender {
  send(request: SignedRequest, signal: AbortSignal): Promise<AttemptResult>;
  close(): Promise<void>;
}
