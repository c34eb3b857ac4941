import type { Clock } from '../base/clock.ts';
import {
  appliesTo,
  type FaultedRequest,
  type FaultEffects,
  type NewWireFault,
  WIRE_FAULTS,
  type WireFault,
  type WireFaultKind,
} from './wire-fault.ts';

/** The maximum number of active faults. Each request is compared with all of them. */
const FAULTS_MAX = 100;
/** The value of `Retry-After` in the service's 503 responses. */
const RETRY_SECONDS = 2;

/** The active network faults. Several of them can apply to one request. */
export class WireFaults {
  readonly #clock: Clock;
  #faults: WireFault[] = [];
  #lastId = 0;
  #clearController = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(fault: NewWireFault): WireFault | null {
    this.#removeExpired();
    if (this.#faults.length >= FAULTS_MAX) return null;
    const { kind, ...rest } = fault;
    const added = { id: ++this.#lastId, kind, ...rest };
    this.#faults.push(added);
    return added;
  }

  /** Lists the faults that can still apply to a request, oldest first. */
  list(): readonly WireFault[] {
    this.#removeExpired();
    return [...this.#faults];
  }

  /** A signal that aborts when the faults are cleared, which ends the delays of responses. */
  get cleared(): AbortSignal {
    return this.#clearController.signal;
  }

  clear(): void {
    this.#faults = [];
    this.#clearController.abort();
    this.#clearController = new AbortController();
  }

  /** True if refreshes must be distinguished from other token requests. */
  get needsRefreshDetection(): boolean {
    return this.list().some(({ kind }) => kind === 'lose-refresh-answers');
  }

  /**
   * Applies the oldest matching fault of each kind, and counts the request for these faults. A
   * substitute response is never lost, so faults that lose responses stay for later requests.
   */
  applyTo(request: FaultedRequest): FaultEffects {
    this.#removeExpired();
    const found = new Map<WireFaultKind, WireFault>();
    for (const fault of this.#faults) {
      if (!found.has(fault.kind) && appliesTo(fault, request)) found.set(fault.kind, fault);
    }
    const substitute = found.get('rate-limit') ?? found.get('fail-answers');
    const loss =
      substitute === undefined
        ? (found.get('lose-refresh-answers') ??
          found.get('lose-answers') ??
          found.get('cut-answers'))
        : undefined;
    const slow = found.get('slow-answers');
    const slowBody =
      substitute === undefined && loss === undefined ? found.get('drip-answers') : undefined;
    const used = [slow, substitute, loss, slowBody].filter((fault) => fault !== undefined);
    for (const fault of used) this.#use(fault);
    const kinds = WIRE_FAULTS.filter((kind) => used.some((fault) => fault.kind === kind));
    return {
      kinds,
      delayMs: slow?.delayMs ?? 0,
      substitute: substitute === undefined ? null : this.#substituteFor(substitute),
      chunkDelayMs: slowBody?.delayMs ?? 0,
      loss: loss === undefined ? null : loss.kind === 'cut-answers' ? 'half' : 'all',
    };
  }

  #substituteFor({ status, until, kind }: WireFault): FaultEffects['substitute'] {
    if (status === null) throw new Error(`a ${kind} without a status`);
    if (status !== 429 && status !== 503) return { status, retryAfterSeconds: null };
    const leftMs = until === null ? null : until.getTime() - this.#clock.now().getTime();
    const retryAfterSeconds = leftMs === null ? RETRY_SECONDS : Math.ceil(leftMs / 1_000);
    return { status, retryAfterSeconds };
  }

  #use(fault: WireFault): void {
    const { left } = fault;
    if (left === null) return;
    this.#faults = this.#faults.map((each) =>
      each === fault ? { ...each, left: left - 1 } : each,
    );
  }

  #removeExpired(): void {
    const now = this.#clock.now();
    this.#faults = this.#faults.filter(
      ({ left, until }) => left !== 0 && (until === null || until > now),
    );
  }
}
