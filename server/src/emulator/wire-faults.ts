import type { Clock } from '../base/clock.ts';
import {
  concerns,
  type FaultedRequest,
  type Injury,
  type NewWireFault,
  WIRE_FAULTS,
  type WireFault,
  type WireFaultKind,
} from './wire-fault.ts';

/** Maximum number of active faults; each request is compared with all of them. */
const FAULTS_MAX = 100;
/** `Retry-After` of a 503, the same as in the service's own 503. */
const RETRY_SECONDS = 2;

/** The active faults. They are data, so that several of them can apply to one request. */
export class WireFaults {
  readonly #clock: Clock;
  #faults: WireFault[] = [];
  #made = 0;
  #clearing = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(fault: NewWireFault): WireFault | null {
    this.#forget();
    if (this.#faults.length >= FAULTS_MAX) return null;
    const { kind, ...terms } = fault;
    const added = { id: ++this.#made, kind, ...terms };
    this.#faults.push(added);
    return added;
  }

  /** The faults that can still apply to a request, oldest first. */
  list(): readonly WireFault[] {
    this.#forget();
    return [...this.#faults];
  }

  /** Aborted when the faults are cleared, which releases the answers that they delay. */
  get cleared(): AbortSignal {
    return this.#clearing.signal;
  }

  clear(): void {
    this.#faults = [];
    this.#clearing.abort();
    this.#clearing = new AbortController();
  }

  /** True if refreshes must be told from other token requests. */
  get looksForRefreshes(): boolean {
    return this.list().some(({ kind }) => kind === 'lose-refresh-answers');
  }

  /**
   * Returns what happens to a request, and counts it: the oldest matching fault of each kind. A
   * request that is answered instead uses up no loss fault, because there is no answer to lose.
   */
  take(request: FaultedRequest): Injury {
    this.#forget();
    const found = new Map<WireFaultKind, WireFault>();
    for (const fault of this.#faults) {
      if (!found.has(fault.kind) && concerns(fault, request)) found.set(fault.kind, fault);
    }
    const instead = found.get('rate-limit') ?? found.get('fail-answers');
    const loss =
      instead === undefined
        ? (found.get('lose-refresh-answers') ??
          found.get('lose-answers') ??
          found.get('cut-answers'))
        : undefined;
    const slow = found.get('slow-answers');
    const drip =
      instead === undefined && loss === undefined ? found.get('drip-answers') : undefined;
    const used = [slow, instead, loss, drip].filter((fault) => fault !== undefined);
    for (const fault of used) this.#use(fault);
    const kinds = WIRE_FAULTS.filter((kind) => used.some((fault) => fault.kind === kind));
    return {
      kinds,
      delayMs: slow?.delayMs ?? 0,
      instead: instead === undefined ? null : this.#insteadOf(instead),
      dripMs: drip?.delayMs ?? 0,
      loss: loss === undefined ? null : loss.kind === 'cut-answers' ? 'half' : 'all',
    };
  }

  #insteadOf({ status, until, kind }: WireFault): Injury['instead'] {
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

  #forget(): void {
    const now = this.#clock.now();
    this.#faults = this.#faults.filter(
      ({ left, until }) => left !== 0 && (until === null || until > now),
    );
  }
}
