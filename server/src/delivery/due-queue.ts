import type { DueDelivery } from './due-deliveries.ts';

/** The limits of one class (fast or slow). A waiting delivery takes about 200 bytes. */
export interface ClassLimits {
  readonly slots: number;
  readonly slotsPerOrigin: number;
  readonly waiting: number;
  readonly waitingPerOrigin: number;
}

export interface QueueLimits {
  readonly fast: ClassLimits;
  readonly slow: ClassLimits;
}

/**
 * A delivery holds a slot until the receiver responds. The 512 slots limit the number of sockets.
 * Slow responses use up slots, failures do not; so slow webhooks share 64 slots, and 448 are left
 * for fast ones (decision 0105). One slow origin gets 4 of the 64: with more, a few hanging hosts
 * would block all other slow origins; with fewer, a host that responds after 3 s would get less
 * than one delivery a second. A fast origin may have about four times as many deliveries waiting as
 * in flight, so that its slots are never idle. A later poll finds the deliveries that did not fit.
 */
export const queueLimits: QueueLimits = {
  fast: { slots: 448, slotsPerOrigin: 60, waiting: 8_192, waitingPerOrigin: 256 },
  slow: { slots: 64, slotsPerOrigin: 4, waiting: 2_048, waitingPerOrigin: 16 },
};

export interface DequeuedDelivery {
  readonly delivery: DueDelivery;
  readonly foundAtMs: number;
}

/**
 * Holds the due webhooks and the slots for sending to them, separately for each class (fast or
 * slow). Within a class the origins take turns, so that one at its limit does not block others.
 */
export class DueQueue {
  readonly #fast: ClassQueue;
  readonly #slow: ClassQueue;
  /** When each queued delivery was found (`performance.now`), by connection id. */
  readonly #foundAtMs = new Map<string, number>();

  constructor({ fast, slow }: QueueLimits = queueLimits) {
    this.#fast = new ClassQueue(fast);
    this.#slow = new ClassQueue(slow);
  }

  get size(): number {
    return this.#foundAtMs.size;
  }

  get oldestFoundAtMs(): number | null {
    let oldest: number | null = null;
    for (const foundAtMs of this.#foundAtMs.values()) {
      if (oldest === null || foundAtMs < oldest) oldest = foundAtMs;
    }
    return oldest;
  }

  fullOriginsOf(isSlow: boolean): string[] {
    return (isSlow ? this.#slow : this.#fast).fullOrigins();
  }

  has(connectionId: string): boolean {
    return this.#foundAtMs.has(connectionId);
  }

  /** Adds a delivery. Returns false if it is already queued or the queue of its class is full. */
  add(delivery: DueDelivery, foundAtMs: number): boolean {
    if (this.has(delivery.connectionId) || !this.#classOf(delivery).add(delivery)) return false;
    this.#foundAtMs.set(delivery.connectionId, foundAtMs);
    return true;
  }

  /** Takes a slot for each delivery. Slow ones come first, because they have few slots. */
  take(max: number): DequeuedDelivery[] {
    const slow = this.#slow.take(max);
    const taken = [...slow, ...this.#fast.take(max - slow.length)];
    return taken.map((delivery) => {
      const foundAtMs = this.#foundAtMs.get(delivery.connectionId) ?? 0;
      this.#foundAtMs.delete(delivery.connectionId);
      return { delivery, foundAtMs };
    });
  }

  release(delivery: DueDelivery): void {
    this.#classOf(delivery).release(delivery.origin);
  }

  #classOf({ isSlow }: DueDelivery): ClassQueue {
    return isSlow ? this.#slow : this.#fast;
  }
}

class ClassQueue {
  readonly #limits: ClassLimits;
  /** The waiting deliveries by origin. The origin that was served last is at the end. */
  readonly #waiting = new Map<string, DueDelivery[]>();
  readonly #inFlight = new Map<string, number>();
  #freePlaces: number;
  #slots: number;

  constructor(limits: ClassLimits) {
    this.#limits = limits;
    this.#freePlaces = limits.waiting;
    this.#slots = limits.slots;
  }

  fullOrigins(): string[] {
    const { waitingPerOrigin } = this.#limits;
    return [...this.#waiting].flatMap(([origin, waiting]) =>
      waiting.length >= waitingPerOrigin ? [origin] : [],
    );
  }

  add(delivery: DueDelivery): boolean {
    const waiting = this.#waiting.get(delivery.origin) ?? [];
    if (this.#freePlaces <= 0 || waiting.length >= this.#limits.waitingPerOrigin) return false;
    waiting.push(delivery);
    this.#waiting.set(delivery.origin, waiting);
    this.#freePlaces--;
    return true;
  }

  take(max: number): DueDelivery[] {
    const taken: DueDelivery[] = [];
    for (const [origin, waiting] of this.#waiting) {
      if (taken.length >= max || this.#slots <= 0) break;
      const inFlight = this.#inFlight.get(origin) ?? 0;
      if (inFlight >= this.#limits.slotsPerOrigin) continue;
      taken.push(...waiting.splice(0, 1));
      this.#inFlight.set(origin, inFlight + 1);
      this.#slots--;
      this.#freePlaces++;
      this.#waiting.delete(origin);
      if (waiting.length > 0) this.#waiting.set(origin, waiting);
    }
    return taken;
  }

  release(origin: string): void {
    const remaining = (this.#inFlight.get(origin) ?? 0) - 1;
    if (remaining > 0) this.#inFlight.set(origin, remaining);
    else this.#inFlight.delete(origin);
    this.#slots++;
  }
}
