import type { DueNotice } from './due.ts';
import type { Slots } from './slots.ts';

/** Notices of one origin that wait: four times what may be in flight, so that its slots never lack work. */
const ORIGIN_MAX = 256;
/** Notices of failing webhooks that wait. */
const FAILING_MAX = 1_024;
/** Notices that wait in all, about 200 bytes each; what is beyond is found by a later look. */
const TOTAL_MAX = 8_192;

/** By origin, the one that was served last at the end. */
type Line = Map<string, DueNotice[]>;

/**
 * What this worker has seen to be due and has no slot for yet. Origins take turns, so that nobody starves behind one
 * that is at its bound, or that has much to be told.
 */
export class DueQueue {
  readonly #healthy: Line = new Map();
  readonly #failing: Line = new Map();
  /** When each was first seen (`performance.now`). */
  readonly #seenAtMs = new Map<string, number>();
  #failingSize = 0;

  get size(): number {
    return this.#seenAtMs.size;
  }

  get isFull(): boolean {
    return this.size >= TOTAL_MAX;
  }

  get isFullOfFailing(): boolean {
    return this.#failingSize >= FAILING_MAX;
  }

  /** When the oldest was first seen; null when nothing waits. */
  get oldestSeenAtMs(): number | null {
    let oldest: number | null = null;
    for (const seenAtMs of this.#seenAtMs.values()) {
      if (oldest === null || seenAtMs < oldest) oldest = seenAtMs;
    }
    return oldest;
  }

  /** Origins of which no more are taken in. */
  fullOrigins(): string[] {
    const origins: string[] = [];
    for (const line of [this.#healthy, this.#failing]) {
      for (const [origin, waiting] of line) if (waiting.length >= ORIGIN_MAX) origins.push(origin);
    }
    return origins;
  }

  has(connectionId: string): boolean {
    return this.#seenAtMs.has(connectionId);
  }

  /** Takes a notice in; false when it waits already, or there is no room for it. */
  add(notice: DueNotice, seenAtMs: number): boolean {
    if (this.has(notice.connectionId) || this.isFull) return false;
    if (notice.isFailing && this.isFullOfFailing) return false;
    const line = this.#lineOf(notice);
    const waiting = line.get(notice.origin);
    if (waiting !== undefined && waiting.length >= ORIGIN_MAX) return false;
    if (waiting === undefined) line.set(notice.origin, [notice]);
    else waiting.push(notice);
    if (notice.isFailing) this.#failingSize++;
    this.#seenAtMs.set(notice.connectionId, seenAtMs);
    return true;
  }

  /** Takes out up to `max` notices and a slot for each; the failing first, which a quarter of the slots bounds. */
  take(max: number, slots: Slots): { readonly notice: DueNotice; readonly seenAtMs: number }[] {
    const taken: DueNotice[] = [];
    for (const line of [this.#failing, this.#healthy]) {
      // An origin that was served is visited again behind the others; one without a free slot is passed by.
      for (const [origin, waiting] of line) {
        if (taken.length >= max || slots.free <= 0) break;
        const [notice] = waiting;
        if (notice === undefined || !slots.take(notice)) continue;
        waiting.shift();
        line.delete(origin);
        if (waiting.length > 0) line.set(origin, waiting);
        taken.push(notice);
      }
    }
    return taken.map((notice) => ({ notice, seenAtMs: this.#forget(notice) }));
  }

  #lineOf({ isFailing }: DueNotice): Line {
    return isFailing ? this.#failing : this.#healthy;
  }

  #forget({ connectionId, isFailing }: DueNotice): number {
    const seenAtMs = this.#seenAtMs.get(connectionId) ?? 0;
    this.#seenAtMs.delete(connectionId);
    if (isFailing) this.#failingSize--;
    return seenAtMs;
  }
}
