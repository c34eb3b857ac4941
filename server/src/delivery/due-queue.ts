import type { DueNotice } from './due.ts';

/**
 * Limits of one class: notices in flight and notices waiting (about 200 bytes each), in total and
 * per origin.
 */
export interface ShareBounds {
  readonly slots: number;
  readonly slotsPerOrigin: number;
  readonly waiting: number;
  readonly waitingPerOrigin: number;
}

/** The limits of both classes. */
export interface QueueBounds {
  readonly fast: ShareBounds;
  readonly slow: ShareBounds;
}

/**
 * A notice holds a slot until it is answered. There are 512 slots, which bounds the sockets. Slots
 * are lost to slow receivers, not to failing ones, so slow webhooks share 64 slots and the others
 * always have 448 (decision 0105). One slow origin gets a sixteenth of the 64: with more, a few
 * hanging hosts would block all other slow ones; with less, a host that answers after 3 s would get
 * less than one shop a second. The sender opens as many connections per origin as an origin has
 * slots in both classes. About four times as many notices may wait per fast origin as may be in
 * flight, so that its slots are never idle; a later poll finds the rest.
 */
export const queueBounds: QueueBounds = {
  fast: { slots: 448, slotsPerOrigin: 60, waiting: 8_192, waitingPerOrigin: 256 },
  slow: { slots: 64, slotsPerOrigin: 4, waiting: 2_048, waitingPerOrigin: 16 },
};

/** A notice that holds a slot. */
export interface TakenNotice {
  readonly notice: DueNotice;
  readonly seenAtMs: number;
}

/**
 * Webhooks that this worker has found due, and the slots to send them. Slow and fast webhooks are
 * queued separately; within each class origins take turns, so that an origin at its limit or with a
 * long queue starves no other.
 */
export class DueQueue {
  readonly #fast: Share;
  readonly #slow: Share;
  /** By connection: when the waiting notice was first seen (`performance.now`). */
  readonly #seenAtMs = new Map<string, number>();

  constructor({ fast, slow }: QueueBounds = queueBounds) {
    this.#fast = new Share(fast);
    this.#slow = new Share(slow);
  }

  /** Number of waiting notices. */
  get size(): number {
    return this.#seenAtMs.size;
  }

  /** When the oldest waiting notice was first seen; null when the queue is empty. */
  get oldestSeenAtMs(): number | null {
    let oldest: number | null = null;
    for (const seenAtMs of this.#seenAtMs.values()) {
      if (oldest === null || seenAtMs < oldest) oldest = seenAtMs;
    }
    return oldest;
  }

  /** Origins of one class with a full queue. */
  fullOriginsOf(isSlow: boolean): string[] {
    return (isSlow ? this.#slow : this.#fast).fullOrigins();
  }

  has(connectionId: string): boolean {
    return this.#seenAtMs.has(connectionId);
  }

  /** Queues a notice; returns false if it is already queued or its queue is full. */
  add(notice: DueNotice, seenAtMs: number): boolean {
    if (this.has(notice.connectionId) || !this.#shareOf(notice).add(notice)) return false;
    this.#seenAtMs.set(notice.connectionId, seenAtMs);
    return true;
  }

  /**
   * Takes up to `max` notices out of the queue, each with a slot. Slow ones go first; their share
   * of the slots limits them to an eighth.
   */
  take(max: number): TakenNotice[] {
    const slow = this.#slow.take(max);
    const taken = [...slow, ...this.#fast.take(max - slow.length)];
    return taken.map((notice) => {
      const seenAtMs = this.#seenAtMs.get(notice.connectionId) ?? 0;
      this.#seenAtMs.delete(notice.connectionId);
      return { notice, seenAtMs };
    });
  }

  /** Frees the slot of a notice. */
  release(notice: DueNotice): void {
    this.#shareOf(notice).release(notice.origin);
  }

  #shareOf({ isSlow }: DueNotice): Share {
    return isSlow ? this.#slow : this.#fast;
  }
}

/** Queue and slots of one class. */
class Share {
  readonly #bounds: ShareBounds;
  /** Waiting notices by origin, in round-robin order: the origin served last is at the end. */
  readonly #waiting = new Map<string, DueNotice[]>();
  readonly #inFlight = new Map<string, number>();
  #room: number;
  #slots: number;

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
    this.#room = bounds.waiting;
    this.#slots = bounds.slots;
  }

  fullOrigins(): string[] {
    const { waitingPerOrigin } = this.#bounds;
    return [...this.#waiting].flatMap(([origin, waiting]) =>
      waiting.length >= waitingPerOrigin ? [origin] : [],
    );
  }

  add(notice: DueNotice): boolean {
    const waiting = this.#waiting.get(notice.origin) ?? [];
    if (this.#room <= 0 || waiting.length >= this.#bounds.waitingPerOrigin) return false;
    waiting.push(notice);
    this.#waiting.set(notice.origin, waiting);
    this.#room--;
    return true;
  }

  take(max: number): DueNotice[] {
    const taken: DueNotice[] = [];
    // Round robin: an origin that was served moves to the end; one without a free slot is skipped.
    for (const [origin, waiting] of this.#waiting) {
      if (taken.length >= max || this.#slots <= 0) break;
      const inFlight = this.#inFlight.get(origin) ?? 0;
      if (inFlight >= this.#bounds.slotsPerOrigin) continue;
      taken.push(...waiting.splice(0, 1));
      this.#inFlight.set(origin, inFlight + 1);
      this.#slots--;
      this.#room++;
      this.#waiting.delete(origin);
      if (waiting.length > 0) this.#waiting.set(origin, waiting);
    }
    return taken;
  }

  release(origin: string): void {
    const others = (this.#inFlight.get(origin) ?? 0) - 1;
    if (others > 0) this.#inFlight.set(origin, others);
    else this.#inFlight.delete(origin);
    this.#slots++;
  }
}
