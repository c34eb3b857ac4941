/** The network faults, which change or replace the response to an app. */
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

/** A fault for future requests, in the format of the admin API. */
export interface WireFault {
  readonly id: number;
  readonly kind: WireFaultKind;
  /** The prefix of the paths of affected requests, or null for all requests of an app. */
  readonly path: string | null;
  /** The number of requests to which the fault still applies, or null for no limit. */
  readonly left: number | null;
  /** When the fault ends, by the emulator's clock, or null for no end. */
  readonly until: Date | null;
  /** The delay before the response (`slow-answers`) or between chunks of it (`drip-answers`). */
  readonly delayMs: number | null;
  /** The status sent instead of the service's response, for `fail-answers` and `rate-limit`. */
  readonly status: number | null;
}

export type NewWireFault = Omit<WireFault, 'id'>;

/** The properties of a request that decide which faults apply to it. */
export interface FaultedRequest {
  /** The path without the query. */
  readonly path: string;
  /** True for a refresh at the token endpoint. */
  readonly isRefresh: boolean;
}

/** The effects of faults on a request. The request reaches the service if `substitute` is null. */
export interface FaultEffects {
  /** The kinds of the applied faults, in the order of `WIRE_FAULTS`. */
  readonly kinds: readonly WireFaultKind[];
  /** The delay before the response begins, or 0. */
  readonly delayMs: number;
  /** The response to send without forwarding the request to the service. */
  readonly substitute: {
    readonly status: number;
    readonly retryAfterSeconds: number | null;
  } | null;
  /** The connection ends before the first byte of the response ('all') or in its body ('half'). */
  readonly loss: 'all' | 'half' | null;
  /** The delay between two chunks of the body, or 0. */
  readonly chunkDelayMs: number;
}

/** The paths to which a fault without a path applies: those that an app itself calls. */
const APP_PATHS = ['/partner/v1', '/auth/oauth2/token', '/auth/oauth2/revoke'];

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

export function appliesTo({ kind, path }: WireFault, request: FaultedRequest): boolean {
  if (kind === 'lose-refresh-answers') return request.isRefresh;
  if (path !== null) return isBelow(request.path, path);
  return APP_PATHS.some((prefix) => isBelow(request.path, prefix));
}
