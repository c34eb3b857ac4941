import type { DueNotice } from './due.ts';

/** How many notices of one class may be in flight, and how many may wait (about 200 bytes each): in all, and of one origin. */
export interface ShareBounds {
  readonly slots: number;
  readonly slotsPerOrigin: number;
  readonly waiting: number;
  readonly waitingPerOrigin: number;
}

/** The same of both classes. */
export interface QueueBounds {
  readonly fast: ShareBounds;
  readonly slow: ShareBounds;
}

/**
 * A notice has a slot until it is answered. There are 512, so that sockets are bounded. What takes a slot from others is
 * time, not failure, so webhooks that took long have 64 for themselves, and the others always have 448
 * (decision 0105). Of the slow one origin has a sixteenth: with more, a few hosts that hang would hold up all others that
 * are slow; with less, a host that answers after 3 s would be told of less than one shop a second. Both shares of an origin
 * are as many as the sender has connections to it. Of a fast origin four times as many may wait as may be in flight, so that
 * its slots never lack work; what is beyond is found by a later look.
 */
export const queueBounds: QueueBounds = {
  fast: { slots: 448, slotsPerOrigin: 60, waiting: 8_192, waitingPerOrigin: 256 },
  slow: { slots: 64, slotsPerOrigin: 4, waiting: 2_048, waitingPerOrigin: 16 },
};

/** A notice that has a slot. */
export interface TakenNotice {
  readonly notice: DueNotice;
  readonly seenAtMs: number;
}

/**
 * What this worker has seen to be due, and the slots for it. The slow wait apart from the fast, and in each class
 * origins take turns, so that none starves behind one that is at its bound, or that has much to be told.
 */
export class DueQueue {
  readonly #fast: Share;
  readonly #slow: Share;
  /** When each that waits was first seen (`performance.now`). */
  readonly #seenAtMs = new Map<string, number>();

  constructor({ fast, slow }: QueueBounds = queueBounds) {
    this.#fast = new Share(fast);
    this.#slow = new Share(slow);
  }

  /** Notices that wait. */
  get size(): number {
    return this.#seenAtMs.size;
  }

  /** When the oldest was first seen; null when nothing waits. */
  get oldestSeenAtMs(): number | null {
    let oldest: number | null = null;
    for (const seenAtMs of this.#seenAtMs.values()) {
      if (oldest === null || seenAtMs < oldest) oldest = seenAtMs;
    }
    return oldest;
  }

  /** Origins of which no more of a class is taken in. */
  fullOriginsOf(isSlow: boolean): string[] {
    return (isSlow ? this.#slow : this.#fast).fullOrigins();
  }

  has(connectionId: string): boolean {
    return this.#seenAtMs.has(connectionId);
  }

  /** Takes a notice in; false when it waits already, or there is no room for it. */
  add(notice: DueNotice, seenAtMs: number): boolean {
    if (this.has(notice.connectionId) || !this.#shareOf(notice).add(notice)) return false;
    this.#seenAtMs.set(notice.connectionId, seenAtMs);
    return true;
  }

  /** Takes out up to `max` notices, each with a slot. The slow first: an eighth of the slots bounds them. */
  take(max: number): TakenNotice[] {
    const slow = this.#slow.take(max);
    const taken = [...slow, ...this.#fast.take(max - slow.length)];
    return taken.map((notice) => {
      const seenAtMs = this.#seenAtMs.get(notice.connectionId) ?? 0;
      this.#seenAtMs.delete(notice.connectionId);
      return { notice, seenAtMs };
    });
  }

  /** Gives back the slot that a notice was taken with. */
  release(notice: DueNotice): void {
    this.#shareOf(notice).release(notice.origin);
  }

  #shareOf({ isSlow }: DueNotice): Share {
    return isSlow ? this.#slow : this.#fast;
  }
}

/** What waits of one class, and its slots. */
class Share {
  readonly #bounds: ShareBounds;
  /** The origin that was served last at the end. */
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
    // An origin that was served is visited again behind the others; one without a free slot is passed by.
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
