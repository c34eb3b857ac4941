import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { type DueDelivery, listDueDeliveries, listDueDeliveriesOfShops } from './due-deliveries.ts';
import type { DueQueue } from './due-queue.ts';
import type { ClaimTarget } from './claim.ts';

// Limits the queries for fewer than `SHOPS_MAX` woken shops to 100 a second, even if many shops
// without webhooks change. A longer pause delays events; a shorter pause loads the database.
const WOKEN_PAUSE_MS = 10;
const SHOPS_MAX = 256;
/** When more shops wait for a query, all due webhooks are polled instead. */
const WOKEN_MAX = 10_000;
/** The rows of one query. A poll returns up to this number for each class (fast and slow). */
const ROWS_MAX = 1_024;
// A query for woken shops also returns webhooks that become free within this time, which is a
// little longer than the minimum interval.
const HORIZON_MS = 1_500;
// A webhook that becomes due within this time gets a timer. The time covers the retries after 5 s
// and 30 s, with 20 % jitter.
const TIMER_MS_MAX = 37_000;
/** The wait before a webhook that could not be claimed or queued is checked again. */
const RECHECK_MS = 250;
/** The pause after a poll is this many times the poll's duration: polls run 2 % of the time. */
const PAUSE_PER_POLL = 50;
/** The longest pause between polls, and so the delay of a change whose notification was lost. */
const POLL_MS_MAX = 10_000;

export function pauseAfterPoll(durationMs: number, pollMs: number): number {
  return Math.max(pollMs, Math.min(durationMs * PAUSE_PER_POLL, POLL_MS_MAX));
}

export interface DuePollerDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyIds: readonly string[];
  readonly pollMs: number;
  readonly queue: DueQueue;
  /** Returns true for a connection with an attempt in flight, which must not be queued. */
  readonly isInFlight: (connectionId: string) => boolean;
}

/** Finds due webhooks and queues them. All times are on the `performance.now` scale. */
export class DuePoller {
  readonly #deps: DuePollerDeps;
  readonly #woken = new Set<string>();
  /** The shops to query again and when, by the id of the connection whose webhook has to wait. */
  readonly #scheduled = new Map<string, { readonly shopId: string; readonly atMs: number }>();
  /** No entry of `#scheduled` is due before this time. */
  #nextScheduledAtMs = Number.POSITIVE_INFINITY;
  #nextWokenQueryAtMs = Number.NEGATIVE_INFINITY;
  #nextPollAtMs = Number.NEGATIVE_INFINITY;
  #lastAnswerAtMs = performance.now();

  constructor(deps: DuePollerDeps) {
    this.#deps = deps;
  }

  /** When the database last answered a query, or when this object was created. */
  get lastAnswerAtMs(): number {
    return this.#lastAnswerAtMs;
  }

  /** When `poll` has something to do again. */
  get nextAtMs(): number {
    const wokenAtMs = this.#woken.size > 0 ? Number.NEGATIVE_INFINITY : this.#nextScheduledAtMs;
    return Math.min(this.#nextPollAtMs, Math.max(wokenAtMs, this.#nextWokenQueryAtMs));
  }

  wake(shopId: string): void {
    if (this.#woken.size < WOKEN_MAX) this.#woken.add(shopId);
    else this.wakeAll();
  }

  wakeAfter({ shopId, connectionId }: ClaimTarget, waitMs: number): void {
    // The regular poll finds webhooks that get no timer.
    if (waitMs > TIMER_MS_MAX || this.#scheduled.size >= WOKEN_MAX) return;
    const atMs = performance.now() + Math.max(waitMs, WOKEN_PAUSE_MS);
    const { atMs: previousMs = atMs } = this.#scheduled.get(connectionId) ?? {};
    this.#scheduled.set(connectionId, { shopId, atMs: Math.min(atMs, previousMs) });
    this.#nextScheduledAtMs = Math.min(this.#nextScheduledAtMs, atMs);
  }

  recheckSoon(target: ClaimTarget): void {
    this.wakeAfter(target, RECHECK_MS);
  }

  wakeAll(): void {
    this.#nextPollAtMs = Number.NEGATIVE_INFINITY;
  }

  /** If one query fails, the rest still run, and then the error is thrown. */
  async poll(): Promise<void> {
    const nowMs = performance.now();
    const canQueryWoken = nowMs >= this.#nextWokenQueryAtMs;
    if (canQueryWoken && nowMs >= this.#nextScheduledAtMs) this.#wakeScheduled(nowMs);
    const isWokenQueryDue = canQueryWoken && this.#woken.size > 0;
    const [wokenQuery] = await Promise.allSettled([isWokenQueryDue ? this.#queryWoken() : null]);
    if (nowMs >= this.#nextPollAtMs) await this.#pollAll();
    if (wokenQuery.status === 'rejected') throw wokenQuery.reason;
  }

  #wakeScheduled(nowMs: number): void {
    this.#nextScheduledAtMs = Number.POSITIVE_INFINITY;
    for (const [connectionId, { shopId, atMs }] of this.#scheduled) {
      if (atMs > nowMs) {
        this.#nextScheduledAtMs = Math.min(this.#nextScheduledAtMs, atMs);
        continue;
      }
      this.#scheduled.delete(connectionId);
      this.wake(shopId);
    }
  }

  async #queryWoken(): Promise<void> {
    const shopIds = [...this.#woken].slice(0, SHOPS_MAX);
    // The shops are deleted before the query, because a notification that arrives during the query
    // may be newer than its result.
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
    const found = await listDueDeliveriesOfShops(db, shopIds, clock.now(), query);
    this.#lastAnswerAtMs = performance.now();
    if (found.length === ROWS_MAX) this.wakeAll();
    for (const delivery of found) {
      // The database measured `waitMs`, so this process needs only a timer.
      if (delivery.waitMs > 0) this.wakeAfter(delivery, delivery.waitMs);
      else if (!this.#enqueue(delivery) && !this.#isQueuedOrInFlight(delivery)) {
        // The queue of its class or origin is full.
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
      const found = await listDueDeliveries(db, clock.now(), {
        keyIds,
        // Origins with a full queue are left out: their queued deliveries wait for a slot anyway.
        exceptFast: queue.fullOriginsOf(false),
        exceptSlow: queue.fullOriginsOf(true),
        limit: ROWS_MAX,
      });
      this.#lastAnswerAtMs = performance.now();
      const queued = found.filter((delivery) => this.#enqueue(delivery));
      hasMore = queued.length > 0 && found.length >= ROWS_MAX;
    } finally {
      // A failed poll is not repeated immediately, unless `wakeAll` was called during the poll.
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
