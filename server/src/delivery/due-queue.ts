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
 * fewer, a host that responds after 3 s would get less than one delivery a second. A later poll
 * finds the deliveries that did not fit.
 */
export const queueLimits: QueueLimits = {
  fast: { slots: 448, reserved: 128, hanging: 1_024, perShop: 48, perOrigin: 60, waiting: 8_192 },
  slow: { slots: 64, reserved: 0, hanging: 0, perShop: 8, perOrigin: 4, waiting: 2_048 },
};
/** As many times the deliveries in flight may wait for an origin, so that no slot of it is idle. */
const WAITING_FACTOR = 4;

export interface DequeuedDelivery {
  readonly delivery: DueDelivery;
  readonly foundAtMs: number;
}

/**
 * Holds the due webhooks and the slots for sending to them, separately for each class (fast or
 * slow). Within a class the shops take turns. What may not start yet is passed over.
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

class ClassQueue {
  readonly hanging = new Set<string>();
  running = 0;
  readonly #limits: ClassLimits;
  /** The waiting deliveries by shop. The shop that was served last is at the end. */
  readonly #waiting = new Map<string, DueDelivery[]>();
  readonly #waitingByOrigin = new Map<string, number>();
  readonly #runningByOrigin = new Map<string, number>();
  readonly #runningByShop = new Map<string, number>();
  #freePlaces: number;

  constructor(limits: ClassLimits) {
    this.#limits = limits;
    this.#freePlaces = limits.waiting;
  }

  fullOrigins(): string[] {
    return [...this.#waitingByOrigin.keys()].filter((origin) => this.#isFull(origin));
  }

  add(delivery: DueDelivery): boolean {
    const { shopId, origin } = delivery;
    if (this.#freePlaces <= 0 || this.#isFull(origin)) return false;
    const waiting = this.#waiting.get(shopId);
    if ((waiting?.length ?? 0) >= this.#limits.perShop * WAITING_FACTOR) return false;
    if (waiting === undefined) this.#waiting.set(shopId, [delivery]);
    else waiting.push(delivery);
    count(this.#waitingByOrigin, origin, 1);
    this.#freePlaces--;
    return true;
  }

  take(max: number): DueDelivery[] {
    const taken: DueDelivery[] = [];
    for (const [shopId, waiting] of this.#waiting) {
      if (taken.length >= max || this.#freeSlots <= 0) break;
      const delivery = waiting.find((each) => this.#canStart(each));
      if (delivery === undefined) continue;
      waiting.splice(waiting.indexOf(delivery), 1);
      taken.push(delivery);
      this.#countRunning(delivery, 1);
      count(this.#waitingByOrigin, delivery.origin, -1);
      this.#freePlaces++;
      this.#waiting.delete(shopId);
      if (waiting.length > 0) this.#waiting.set(shopId, waiting);
    }
    return taken;
  }

  release(delivery: DueDelivery): void {
    this.hanging.delete(delivery.connectionId);
    this.#countRunning(delivery, -1);
  }

  get #freeSlots(): number {
    const { slots, hanging } = this.#limits;
    return slots + Math.min(this.hanging.size, hanging) - this.running;
  }

  #isFull(origin: string): boolean {
    const max = this.#limits.perOrigin * WAITING_FACTOR;
    return (this.#waitingByOrigin.get(origin) ?? 0) >= max;
  }

  #canStart({ shopId, origin, speed }: DueDelivery): boolean {
    const { reserved, perShop, perOrigin } = this.#limits;
    return (
      (speed === 'fast' || this.#freeSlots > reserved) &&
      (this.#runningByShop.get(shopId) ?? 0) < perShop &&
      (this.#runningByOrigin.get(origin) ?? 0) < perOrigin
    );
  }

  #countRunning({ shopId, origin }: DueDelivery, by: 1 | -1): void {
    this.running += by;
    count(this.#runningByShop, shopId, by);
    count(this.#runningByOrigin, origin, by);
  }
}

function count(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const sum = (counts.get(key) ?? 0) + by;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}
