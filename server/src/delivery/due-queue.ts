import type { DueDelivery } from './due-deliveries.ts';

/** The limits of one class (fast or slow). A waiting delivery takes about 200 bytes. */
export interface ClassLimits {
  readonly slots: number;
  /** The slots that only a webhook whose last response was fast may take. */
  readonly reserved: number;
  /** The number of hanging deliveries that need no slot. */
  readonly hanging: number;
  /** The limits of the deliveries in flight, hanging or not. */
  readonly perShop: number;
  readonly perOrigin: number;
  readonly waiting: number;
  readonly waitingPerOrigin: number;
}

export interface QueueLimits {
  readonly fast: ClassLimits;
  readonly slow: ClassLimits;
}

/** A delivery without a response for this long is hanging. Most receivers respond much sooner. */
export const HANGING_MS = 500;

/**
 * Slow webhooks have 64 slots, which they hold until the response, and the others 448. A slot is
 * free again when the delivery hangs, so that receivers that suddenly hang do not take the slots of
 * others. Only 1,024 deliveries may hang without a slot, which limits the sockets; for the time when
 * more do, 128 slots are reserved for receivers that are known to respond (decision 0105). A slow
 * origin gets 4 slots: with more, a few hanging hosts would block all other slow origins; with
 * fewer, a host that responds after 3 s would get less than one delivery a second. An origin may
 * have about four times as many deliveries waiting as in flight, so that its slots are never idle.
 * A later poll finds the deliveries that did not fit.
 */
export const queueLimits: QueueLimits = {
  fast: {
    slots: 448,
    reserved: 128,
    hanging: 1_024,
    perShop: 48,
    perOrigin: 60,
    waiting: 8_192,
    waitingPerOrigin: 256,
  },
  slow: {
    slots: 64,
    reserved: 0,
    hanging: 0,
    perShop: 8,
    perOrigin: 4,
    waiting: 2_048,
    waitingPerOrigin: 16,
  },
};

export interface DequeuedDelivery {
  readonly delivery: DueDelivery;
  readonly foundAtMs: number;
}

/**
 * Holds the due webhooks and the slots for sending to them, separately for each class (fast or
 * slow). Within a class the shops take turns, and within a shop the origins. Those at their limit
 * are passed over.
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

  /** The number of deliveries in flight. */
  get running(): number {
    return this.#fast.running + this.#slow.running;
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

  /** Frees the slot of a delivery that has had no response for `HANGING_MS`, if it may hang. */
  markHanging(delivery: DueDelivery): void {
    this.#classOf(delivery).hanging.add(delivery.connectionId);
  }

  release(delivery: DueDelivery): void {
    this.#classOf(delivery).release(delivery);
  }

  #classOf({ speed }: DueDelivery): ClassQueue {
    return speed === 'slow' ? this.#slow : this.#fast;
  }
}

type Origins = Map<string, DueDelivery[]>;

class ClassQueue {
  readonly hanging = new Set<string>();
  running = 0;
  readonly #limits: ClassLimits;
  /** The waiting deliveries by shop and origin. Those that were served last are at the end. */
  readonly #waiting = new Map<string, Origins>();
  readonly #waitingByOrigin = new Counts();
  readonly #runningByShop = new Counts();
  readonly #runningByOrigin = new Counts();
  #freePlaces: number;

  constructor(limits: ClassLimits) {
    this.#limits = limits;
    this.#freePlaces = limits.waiting;
  }

  fullOrigins(): string[] {
    return this.#waitingByOrigin.keysAtLeast(this.#limits.waitingPerOrigin);
  }

  add(delivery: DueDelivery): boolean {
    const { shopId, origin } = delivery;
    const isFull = this.#waitingByOrigin.get(origin) >= this.#limits.waitingPerOrigin;
    if (this.#freePlaces <= 0 || isFull) return false;
    const origins: Origins = this.#waiting.get(shopId) ?? new Map();
    const waiting = origins.get(origin) ?? [];
    waiting.push(delivery);
    this.#waiting.set(shopId, origins.set(origin, waiting));
    this.#waitingByOrigin.add(origin, 1);
    this.#freePlaces--;
    return true;
  }

  take(max: number): DueDelivery[] {
    const taken: DueDelivery[] = [];
    for (const [shopId, origins] of this.#waiting) {
      if (taken.length >= max || this.#freeSlots <= 0) break;
      const delivery =
        this.#runningByShop.get(shopId) < this.#limits.perShop ? this.#next(origins) : undefined;
      if (delivery === undefined) continue;
      taken.push(delivery);
      this.#count(delivery, 1);
      this.#waitingByOrigin.add(delivery.origin, -1);
      this.#freePlaces++;
      this.#waiting.delete(shopId);
      if (origins.size > 0) this.#waiting.set(shopId, origins);
    }
    return taken;
  }

  release(delivery: DueDelivery): void {
    this.hanging.delete(delivery.connectionId);
    this.#count(delivery, -1);
  }

  get #freeSlots(): number {
    const { slots, hanging } = this.#limits;
    return slots + Math.min(this.hanging.size, hanging) - this.running;
  }

  /** Removes the next delivery that may start from those of a shop. */
  #next(origins: Origins): DueDelivery | undefined {
    const isReserved = this.#freeSlots <= this.#limits.reserved;
    for (const [origin, waiting] of origins) {
      if (this.#runningByOrigin.get(origin) >= this.#limits.perOrigin) continue;
      const at = isReserved ? waiting.findIndex(({ speed }) => speed === 'fast') : 0;
      const [delivery] = at < 0 ? [] : waiting.splice(at, 1);
      if (delivery === undefined) continue;
      origins.delete(origin);
      if (waiting.length > 0) origins.set(origin, waiting);
      return delivery;
    }
    return undefined;
  }

  #count({ shopId, origin }: DueDelivery, by: 1 | -1): void {
    this.running += by;
    this.#runningByShop.add(shopId, by);
    this.#runningByOrigin.add(origin, by);
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  get(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, by: 1 | -1): void {
    const count = this.get(key) + by;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
  }

  keysAtLeast(min: number): string[] {
    return [...this.#counts].flatMap(([key, count]) => (count >= min ? [key] : []));
  }
}
