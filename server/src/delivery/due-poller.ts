import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { type DueDelivery, listDue, listDueOfShops } from './due.ts';
import type { DueQueue } from './due-queue.ts';
import type { ClaimTarget } from './claim.ts';

/**
 * Pause between two queries for woken shops: at most 50 a second for any number of writes, even of
 * shops without webhooks. A longer pause delays events; a shorter one loads the database.
 */
const WOKEN_PAUSE_MS = 20;
const SHOPS_MAX = 256;
/** Shops that may wait for a query; beyond that everything is polled. */
const WOKEN_MAX = 10_000;
/** Rows per query; for a poll, per class (fast and slow). */
const ROWS_MAX = 1_024;
/**
 * A query for woken shops also finds webhooks free this soon: somewhat over the minimum interval.
 */
const HORIZON_MS = 1_500;
/** Webhooks due this soon get a timer: the retries after 5 s and 30 s, with 20 % jitter. */
const TIMER_MS_MAX = 37_000;
/** Until a webhook that could not be claimed or queued is checked again. */
const RECHECK_MS = 250;
/** The pause after a poll, as a multiple of its duration: polling takes at most 2 % of the time. */
const PAUSE_PER_POLL = 50;
/** Bounds the delay of a change whose notification a crash lost. */
const POLL_MS_MAX = 10_000;

export function pauseAfterPoll(durationMs: number, pollMs: number): number {
  return Math.max(pollMs, Math.min(durationMs * PAUSE_PER_POLL, POLL_MS_MAX));
}

export interface DuePollerDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyIds: readonly string[];
  /** Shortest pause between two polls. */
  readonly pollMs: number;
  readonly queue: DueQueue;
  /** Such a connection must not be queued now. */
  readonly isInFlight: (connectionId: string) => boolean;
}

/** Finds due webhooks and queues them. All times are on the `performance.now` scale. */
export class DuePoller {
  readonly #deps: DuePollerDeps;
  readonly #woken = new Set<string>();
  /** By connection: the shop to query later, and when. */
  readonly #scheduled = new Map<string, { readonly shopId: string; readonly atMs: number }>();
  #nextWokenQueryAtMs = Number.NEGATIVE_INFINITY;
  #nextPollAtMs = Number.NEGATIVE_INFINITY;
  #lastAnswerAtMs = performance.now();

  constructor(deps: DuePollerDeps) {
    this.#deps = deps;
  }

  /** Before the first answer: when this object was created. */
  get lastAnswerAtMs(): number {
    return this.#lastAnswerAtMs;
  }

  get nextAtMs(): number {
    let nextAtMs = this.#nextPollAtMs;
    if (this.#woken.size > 0) nextAtMs = Math.min(nextAtMs, this.#nextWokenQueryAtMs);
    for (const { atMs } of this.#scheduled.values()) nextAtMs = Math.min(nextAtMs, atMs);
    return nextAtMs;
  }

  wake(shopId: string): void {
    if (this.#woken.size < WOKEN_MAX) this.#woken.add(shopId);
    else this.wakeAll();
  }

  wakeAfter({ shopId, connectionId }: ClaimTarget, waitMs: number): void {
    // Later ones are found by the poll.
    if (waitMs > TIMER_MS_MAX || this.#scheduled.size >= WOKEN_MAX) return;
    const atMs = performance.now() + Math.max(waitMs, WOKEN_PAUSE_MS);
    const { atMs: previousMs = atMs } = this.#scheduled.get(connectionId) ?? {};
    this.#scheduled.set(connectionId, { shopId, atMs: Math.min(atMs, previousMs) });
  }

  recheckSoon(target: ClaimTarget): void {
    this.wakeAfter(target, RECHECK_MS);
  }

  wakeAll(): void {
    this.#nextPollAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Runs the queries that are due. If one fails the other still runs; then the error is thrown. */
  async poll(): Promise<void> {
    const nowMs = performance.now();
    for (const [connectionId, { shopId, atMs }] of this.#scheduled) {
      if (atMs > nowMs) continue;
      this.#scheduled.delete(connectionId);
      this.wake(shopId);
    }
    const isWokenQueryDue = this.#woken.size > 0 && nowMs >= this.#nextWokenQueryAtMs;
    const [wokenQuery] = await Promise.allSettled([isWokenQueryDue ? this.#queryWoken() : null]);
    if (nowMs >= this.#nextPollAtMs) await this.#pollAll();
    if (wokenQuery.status === 'rejected') throw wokenQuery.reason;
  }

  async #queryWoken(): Promise<void> {
    const shopIds = [...this.#woken].slice(0, SHOPS_MAX);
    // Deleted before the query: a notification that arrives during it may be newer than its result.
    for (const shopId of shopIds) this.#woken.delete(shopId);
    try {
      await this.#queryShops(shopIds);
    } catch (error) {
      for (const shopId of shopIds) this.wake(shopId);
      throw error;
    } finally {
      const pauseMs = shopIds.length < SHOPS_MAX ? WOKEN_PAUSE_MS : 0;
      this.#nextWokenQueryAtMs = performance.now() + pauseMs;
    }
  }

  async #queryShops(shopIds: readonly string[]): Promise<void> {
    const { db, clock, keyIds } = this.#deps;
    const query = { keyIds, horizonMs: HORIZON_MS, limit: ROWS_MAX };
    const found = await listDueOfShops(db, shopIds, clock.now(), query);
    this.#lastAnswerAtMs = performance.now();
    if (found.length === ROWS_MAX) this.wakeAll();
    for (const delivery of found) {
      // The database's clock measured the wait, so this process need only wait that long.
      if (delivery.waitMs > 0) this.wakeAfter(delivery, delivery.waitMs);
      else if (!this.#enqueue(delivery) && !this.#isQueuedOrInFlight(delivery)) {
        // The queue is full for an origin that many shops share.
        this.recheckSoon(delivery);
      }
    }
  }

  async #pollAll(): Promise<void> {
    const startedAtMs = performance.now();
    const { db, clock, keyIds, queue, pollMs } = this.#deps;
    let hasMore = false;
    this.#nextPollAtMs = Number.POSITIVE_INFINITY;
    try {
      const found = await listDue(db, clock.now(), {
        keyIds,
        // Origins with a full queue are left out; what they have queued waits for a slot.
        exceptFast: queue.fullOriginsOf(false),
        exceptSlow: queue.fullOriginsOf(true),
        limit: ROWS_MAX,
      });
      this.#lastAnswerAtMs = performance.now();
      const queued = found.filter((delivery) => this.#enqueue(delivery));
      hasMore = queued.length > 0 && found.length >= ROWS_MAX;
    } finally {
      // A failed poll is not repeated at once, unless `wakeAll` was called during it.
      const endedAtMs = performance.now();
      const nextAtMs = endedAtMs + pauseAfterPoll(endedAtMs - startedAtMs, pollMs);
      this.#nextPollAtMs = Math.min(this.#nextPollAtMs, nextAtMs);
    }
    if (hasMore) this.wakeAll();
  }

  #enqueue(delivery: DueDelivery): boolean {
    return !this.#isQueuedOrInFlight(delivery) && this.#deps.queue.add(delivery, performance.now());
  }

  #isQueuedOrInFlight({ connectionId }: DueDelivery): boolean {
    const { queue, isInFlight } = this.#deps;
    return isInFlight(connectionId) || queue.has(connectionId);
  }
}
