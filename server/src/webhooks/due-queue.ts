import type { DueNotice } from './due.ts';
import type { Slots } from './slots.ts';

/** How many notices of one class may wait: in all (about 200 bytes each), and of one origin. */
interface LineBounds {
  readonly total: number;
  readonly perOrigin: number;
}

/** Of an origin four times what may be in flight, so that its slots never lack work; what is beyond a later look finds. */
const FAST: LineBounds = { total: 8_192, perOrigin: 256 };
const SLOW: LineBounds = { total: 2_048, perOrigin: 16 };

/**
 * What this worker has seen to be due and has no slot for yet. The slow wait apart from the fast, and in each class
 * origins take turns, so that nobody starves behind one that is at its bound, or that has much to be told.
 */
export class DueQueue {
  readonly #fast = new Line(FAST);
  readonly #slow = new Line(SLOW);
  /** When each was first seen (`performance.now`). */
  readonly #seenAtMs = new Map<string, number>();

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
    return this.#lineOf(isSlow).fullOrigins();
  }

  has(connectionId: string): boolean {
    return this.#seenAtMs.has(connectionId);
  }

  /** Takes a notice in; false when it waits already, or there is no room for it. */
  add(notice: DueNotice, seenAtMs: number): boolean {
    if (this.has(notice.connectionId) || !this.#lineOf(notice.isSlow).add(notice)) return false;
    this.#seenAtMs.set(notice.connectionId, seenAtMs);
    return true;
  }

  /**
   * Takes out up to `max` notices and a slot for each. The slow first: a quarter of the slots bounds them, and each
   * keeps its own for long, so that they never take much of a turn.
   */
  take(max: number, slots: Slots): { readonly notice: DueNotice; readonly seenAtMs: number }[] {
    const slow = this.#slow.take(max, slots, true);
    const taken = [...slow, ...this.#fast.take(max - slow.length, slots, false)];
    return taken.map((notice) => ({ notice, seenAtMs: this.#forget(notice) }));
  }

  #lineOf(isSlow: boolean): Line {
    return isSlow ? this.#slow : this.#fast;
  }

  #forget({ connectionId }: DueNotice): number {
    const seenAtMs = this.#seenAtMs.get(connectionId) ?? 0;
    this.#seenAtMs.delete(connectionId);
    return seenAtMs;
  }
}

class Line {
  readonly #bounds: LineBounds;
  /** The origin that was served last at the end. */
  readonly #byOrigin = new Map<string, DueNotice[]>();
  #size = 0;

  constructor(bounds: LineBounds) {
    this.#bounds = bounds;
  }

  get isFull(): boolean {
    return this.#size >= this.#bounds.total;
  }

  fullOrigins(): string[] {
    const { perOrigin } = this.#bounds;
    return [...this.#byOrigin].flatMap(([origin, waiting]) =>
      waiting.length >= perOrigin ? [origin] : [],
    );
  }

  add(notice: DueNotice): boolean {
    const waiting = this.#byOrigin.get(notice.origin) ?? [];
    if (this.isFull || waiting.length >= this.#bounds.perOrigin) return false;
    waiting.push(notice);
    this.#byOrigin.set(notice.origin, waiting);
    this.#size++;
    return true;
  }

  take(max: number, slots: Slots, isSlow: boolean): DueNotice[] {
    const taken: DueNotice[] = [];
    // An origin that was served is visited again behind the others; one without a free slot is passed by.
    for (const [origin, waiting] of this.#byOrigin) {
      if (taken.length >= max || slots.freeOf(isSlow) <= 0) break;
      const [notice] = waiting;
      if (notice === undefined || !slots.take(notice)) continue;
      waiting.shift();
      this.#size--;
      this.#byOrigin.delete(origin);
      if (waiting.length > 0) this.#byOrigin.set(origin, waiting);
      taken.push(notice);
    }
    return taken;
  }
}
