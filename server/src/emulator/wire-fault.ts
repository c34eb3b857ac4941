/** What is made of an answer, or in its place, between the service and an app. */
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

/** A fault that waits for requests, as the admin address shows it. */
export interface WireFault {
  readonly id: number;
  readonly kind: WireFaultKind;
  /** Which requests: those whose path begins with it; null for every one that an app makes by itself. */
  readonly path: string | null;
  /** How many more requests it hits; null: any number. */
  readonly left: number | null;
  /** Until when, by the emulator's clock; null: without end. */
  readonly until: Date | null;
  /** Of `slow-answers`, before the answer; of `drip-answers`, between two pieces of its body. */
  readonly delayMs: number | null;
  /** Of `fail-answers` and `rate-limit`: the status that comes instead of the service's answer. */
  readonly status: number | null;
}

export type NewWireFault = Omit<WireFault, 'id'>;

/** What a request is told apart by. */
export interface FaultedRequest {
  /** Without the query. */
  readonly path: string;
  /** True for a refresh at the token address. */
  readonly isRefresh: boolean;
}

/** What happens to one request. Its service is asked unless `instead` is set. */
export interface Injury {
  /** Which faults hit it, in the order of `WIRE_FAULTS`. */
  readonly kinds: readonly WireFaultKind[];
  /** Before the answer begins; 0: at once. */
  readonly delayMs: number;
  /** This is answered, and the service is not asked. */
  readonly instead: { readonly status: number; readonly retryAfterSeconds: number | null } | null;
  /** The request is carried out, and the connection ends before the first byte of the answer, or in the middle of its body. */
  readonly loss: 'all' | 'half' | null;
  /** Between two pieces of the body; 0: as it comes. */
  readonly dripMs: number;
}

/** Where an app speaks with the service by itself: pages, documents and the Shop API are left alone. */
const APP_PATHS = ['/partner/v1', '/auth/oauth2/token', '/auth/oauth2/revoke'];

/** True when `path` is `prefix` or lies below it. */
function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`);
}

export function concerns({ kind, path }: WireFault, request: FaultedRequest): boolean {
  if (kind === 'lose-refresh-answers') return request.isRefresh;
  if (path !== null) return isBelow(request.path, path);
  return APP_PATHS.some((prefix) => isBelow(request.path, prefix));
}
