/** What is done to a response, or sent instead of it, between the service and an app. */
export const WIRE_FAULTS = [
  'slow-answers',
  'rate-limit',
  'fail-answers',
  'lose-refresh-answers',
  'lose-answers',
  'cut-answers',
  'drip-answers',
] as const;
export type WireFaultKind = (typeof WIRE_FAULTS)[number];

/** For future requests, as the admin API shows it. */
export interface WireFault {
  readonly id: number;
  readonly kind: WireFaultKind;
  /** A prefix of the paths of the requests that it applies to; null for all of an app's own. */
  readonly path: string | null;
  /** How many more requests it applies to; null for no limit. */
  readonly left: number | null;
  /** When it ends, by the emulator's clock; null for no end. */
  readonly until: Date | null;
  /**
   * For `slow-answers`: before the response. For `drip-answers`: between two chunks of its body.
   */
  readonly delayMs: number | null;
  /** For `fail-answers` and `rate-limit`: sent instead of the service's response. */
  readonly status: number | null;
}

export type NewWireFault = Omit<WireFault, 'id'>;

/** What faults are matched against. */
export interface FaultedRequest {
  /** Without the query. */
  readonly path: string;
  /** True for a refresh at the token endpoint. */
  readonly isRefresh: boolean;
}

/** What happens to one request. It is passed on to the service unless `substitute` is set. */
export interface FaultEffects {
  /** The faults applied, in the order of `WIRE_FAULTS`. */
  readonly kinds: readonly WireFaultKind[];
  /** Before the response begins; 0 for none. */
  readonly delayMs: number;
  /** Sent as the response; the request is not passed on to the service. */
  readonly substitute: {
    readonly status: number;
    readonly retryAfterSeconds: number | null;
  } | null;
  /**
   * The request is carried out; the connection ends before the first byte of the response ('all')
   * or in the middle of its body ('half').
   */
  readonly loss: 'all' | 'half' | null;
  /** Between two chunks of the body; 0 for none. */
  readonly chunkDelayMs: number;
}

/** Requests that an app makes without a browser; not pages, documents or the Shop API. */
const APP_PATHS = ['/partner/v1', '/auth/oauth2/token', '/auth/oauth2/revoke'];

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

export function appliesTo({ kind, path }: WireFault, request: FaultedRequest): boolean {
  if (kind === 'lose-refresh-answers') return request.isRefresh;
  if (path !== null) return isBelow(request.path, path);
  return APP_PATHS.some((prefix) => isBelow(request.path, prefix));
}
