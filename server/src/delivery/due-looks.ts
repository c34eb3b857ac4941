import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { type DueNotice, listDue, listDueOfShops } from './due.ts';
import type { DueQueue } from './due-queue.ts';
import type { ClaimTarget } from './claim.ts';

/**
 * Pause between two queries for woken shops: at most 50 queries a second, however many writes there
 * are, including those of shops without webhooks. A longer pause delays notices; a shorter one
 * keeps the database busy with little else.
 */
const WOKEN_EVERY_MS = 20;
/** Shops per query. */
const SHOPS_MAX = 256;
/** Shops that may wait for a query; beyond that everything is polled. */
const WOKEN_MAX = 10_000;
/** Rows per query; for a poll, per class (fast and slow). */
const FOUND_MAX = 1_024;
/**
 * A query for woken shops also returns webhooks that become free within this time: a little more
 * than the pace.
 */
const HORIZON_MS = 1_500;
/**
 * Webhooks due within this time get a timer. It covers the first two retries, 5 s and 30 s, with 20
 * % jitter.
 */
const LATER_MS_MAX = 37_000;
/**
 * Delay before checking again a webhook that could not be claimed or did not fit into the queue.
 */
const AGAIN_MS = 250;
/**
 * The pause after a poll is this many times its duration, so polling takes at most 2 % of the time.
 */
const REST_PER_POLL = 50;
/**
 * Longest pause between two polls: bounds the delay of a change whose notification a crash lost.
 */
const POLL_MS_MAX = 10_000;

/** Pause after a poll that took `tookMs`. */
export function restAfterPoll(tookMs: number, pollMs: number): number {
  return Math.max(pollMs, Math.min(tookMs * REST_PER_POLL, POLL_MS_MAX));
}

export interface DueLooksDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyIds: readonly string[];
  /** Shortest pause between two polls, in milliseconds. */
  readonly pollMs: number;
  readonly queue: DueQueue;
  /** True for a connection that must not be queued now. */
  readonly isInFlight: (connectionId: string) => boolean;
}

/** Finds due webhooks and queues them. All times are on the `performance.now` scale. */
export class DueLooks {
  readonly #deps: DueLooksDeps;
  readonly #woken = new Set<string>();
  /** By connection: the shop to query later, and when. */
  readonly #later = new Map<string, { readonly shopId: string; readonly atMs: number }>();
  #wokenLookAtMs = Number.NEGATIVE_INFINITY;
  #pollAtMs = Number.NEGATIVE_INFINITY;
  #answeredAtMs = performance.now();

  constructor(deps: DueLooksDeps) {
    this.#deps = deps;
  }

  /**
   * When the database last answered a query; before the first answer, when this object was created.
   */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  /** When the next query is due. */
  get nextAtMs(): number {
    let nextAtMs = this.#pollAtMs;
    if (this.#woken.size > 0) nextAtMs = Math.min(nextAtMs, this.#wokenLookAtMs);
    for (const { atMs } of this.#later.values()) nextAtMs = Math.min(nextAtMs, atMs);
    return nextAtMs;
  }

  wake(shopId: string): void {
    if (this.#woken.size < WOKEN_MAX) this.#woken.add(shopId);
    else this.wakeAll();
  }

  /** Queries the connection's shop again after `waitMs`. */
  wakeIn({ shopId, connectionId }: ClaimTarget, waitMs: number): void {
    // Later ones are found by the poll.
    if (waitMs > LATER_MS_MAX || this.#later.size >= WOKEN_MAX) return;
    const atMs = performance.now() + Math.max(waitMs, WOKEN_EVERY_MS);
    const { atMs: formerMs = atMs } = this.#later.get(connectionId) ?? {};
    this.#later.set(connectionId, { shopId, atMs: Math.min(atMs, formerMs) });
  }

  /** Checks again soon a webhook that could not be claimed or queued. */
  lookAgain(target: ClaimTarget): void {
    this.wakeIn(target, AGAIN_MS);
  }

  /** Polls all webhooks next. */
  wakeAll(): void {
    this.#pollAtMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Runs the queries that are due. If one fails the other still runs; then the first error is
   * thrown.
   */
  async look(): Promise<void> {
    const nowMs = performance.now();
    for (const [connectionId, { shopId, atMs }] of this.#later) {
      if (atMs > nowMs) continue;
      this.#later.delete(connectionId);
      this.wake(shopId);
    }
    const areWoken = this.#woken.size > 0 && nowMs >= this.#wokenLookAtMs;
    const [looked] = await Promise.allSettled([areWoken ? this.#lookAtWoken() : null]);
    if (nowMs >= this.#pollAtMs) await this.#poll();
    if (looked.status === 'rejected') throw looked.reason;
  }

  async #lookAtWoken(): Promise<void> {
    const shopIds = [...this.#woken].slice(0, SHOPS_MAX);
    // Deleted before the query: a notification that arrives during it may be newer than its answer.
    for (const shopId of shopIds) this.#woken.delete(shopId);
    try {
      await this.#lookAt(shopIds);
    } catch (error) {
      for (const shopId of shopIds) this.wake(shopId);
      throw error;
    } finally {
      // If more shops are left, continue without a pause.
      const spacingMs = shopIds.length < SHOPS_MAX ? WOKEN_EVERY_MS : 0;
      this.#wokenLookAtMs = performance.now() + spacingMs;
    }
  }

  async #lookAt(shopIds: readonly string[]): Promise<void> {
    const { db, clock, keyIds } = this.#deps;
    const bounds = { keyIds, horizonMs: HORIZON_MS, limit: FOUND_MAX };
    const found = await listDueOfShops(db, shopIds, clock.now(), bounds);
    this.#answeredAtMs = performance.now();
    if (found.length === FOUND_MAX) this.wakeAll();
    for (const notice of found) {
      // The database's clock measured the wait, so this process need only wait that long.
      if (notice.waitMs > 0) this.wakeIn(notice, notice.waitMs);
      else if (!this.#keep(notice) && !this.#isKnown(notice)) {
        // The queue is full for an origin that many shops share.
        this.lookAgain(notice);
      }
    }
  }

  async #poll(): Promise<void> {
    const beganAtMs = performance.now();
    const { db, clock, keyIds, queue, pollMs } = this.#deps;
    let isMore = false;
    this.#pollAtMs = Number.POSITIVE_INFINITY;
    try {
      const found = await listDue(db, clock.now(), {
        keyIds,
        // Origins with a full queue are left out. Their queued webhooks get their turn when a slot
        // is free.
        exceptFast: queue.fullOriginsOf(false),
        exceptSlow: queue.fullOriginsOf(true),
        limit: FOUND_MAX,
      });
      this.#answeredAtMs = performance.now();
      const kept = found.filter((notice) => this.#keep(notice));
      isMore = kept.length > 0 && found.length >= FOUND_MAX;
    } finally {
      // A failed poll is not repeated at once, unless `wakeAll` was called during it.
      const endedAtMs = performance.now();
      const nextAtMs = endedAtMs + restAfterPoll(endedAtMs - beganAtMs, pollMs);
      this.#pollAtMs = Math.min(this.#pollAtMs, nextAtMs);
    }
    if (isMore) this.wakeAll();
  }

  #keep(notice: DueNotice): boolean {
    return !this.#isKnown(notice) && this.#deps.queue.add(notice, performance.now());
  }

  #isKnown({ connectionId }: DueNotice): boolean {
    const { queue, isInFlight } = this.#deps;
    return isInFlight(connectionId) || queue.has(connectionId);
  }
}
