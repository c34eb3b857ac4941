import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { type DueNotice, listDue, listDueOfShops } from './due.ts';
import type { DueQueue } from './due-queue.ts';
import type { ClaimTarget } from './claim.ts';

/**
 * From the end of a look at woken shops to the next: at most 50 a second, however much is written, also by shops that
 * have no webhooks. Longer and a notice waits for it; shorter and the database does little else.
 */
const WOKEN_EVERY_MS = 20;
/** Shops of one look. */
const SHOPS_MAX = 256;
/** Shops that wait for a look; beyond it everything is looked at. */
const WOKEN_MAX = 10_000;
/** Rows of one look, of a poll in each class. */
const FOUND_MAX = 1_024;
/** A look at woken shops finds what waits for no longer too: a little more than the pace. */
const HORIZON_MS = 1_500;
/** What is due within that time is looked at at its instant: the first two retries, 5 and 30 s, a fifth more at most. */
const LATER_MS_MAX = 37_000;
/** What could not be claimed, or had no room in the queue, is looked at again after so long. */
const AGAIN_MS = 250;
/** A poll comes again after so many times as long as it took: it never takes more than 2 % of the time. */
const REST_PER_POLL = 50;
/** Longest between two polls, however long they take: what a crash left unannounced is told by then. */
const POLL_MS_MAX = 10_000;

/** From the end of a poll that took so long to the next. */
export function restAfterPoll(tookMs: number, pollMs: number): number {
  return Math.max(pollMs, Math.min(tookMs * REST_PER_POLL, POLL_MS_MAX));
}

/** What the looks work with. */
export interface DueLooksDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyIds: readonly string[];
  /** Between two polls. */
  readonly pollMs: number;
  readonly queue: DueQueue;
  /** True of a connection that is not to be queued now. */
  readonly isInFlight: (connectionId: string) => boolean;
}

/** Finds what is due and puts it into the queue. Times are of `performance.now`. */
export class DueLooks {
  readonly #deps: DueLooksDeps;
  readonly #woken = new Set<string>();
  /** By connection: whose shop is to be looked at later, and when. */
  readonly #later = new Map<string, { readonly shopId: string; readonly atMs: number }>();
  #wokenLookAtMs = Number.NEGATIVE_INFINITY;
  #pollAtMs = Number.NEGATIVE_INFINITY;
  #answeredAtMs = performance.now();

  constructor(deps: DueLooksDeps) {
    this.#deps = deps;
  }

  /** When the database last answered a look; before the first, when this was made. */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  /** When the next look is to be. */
  get nextAtMs(): number {
    let nextAtMs = this.#pollAtMs;
    if (this.#woken.size > 0) nextAtMs = Math.min(nextAtMs, this.#wokenLookAtMs);
    for (const { atMs } of this.#later.values()) nextAtMs = Math.min(nextAtMs, atMs);
    return nextAtMs;
  }

  /** A shop has changed. */
  wake(shopId: string): void {
    if (this.#woken.size < WOKEN_MAX) this.#woken.add(shopId);
    else this.wakeAll();
  }

  /** A connection's shop is to be looked at in so many milliseconds. */
  wakeIn({ shopId, connectionId }: ClaimTarget, waitMs: number): void {
    // What is due later is found by the looks around.
    if (waitMs > LATER_MS_MAX || this.#later.size >= WOKEN_MAX) return;
    const atMs = performance.now() + Math.max(waitMs, WOKEN_EVERY_MS);
    const { atMs: formerMs = atMs } = this.#later.get(connectionId) ?? {};
    this.#later.set(connectionId, { shopId, atMs: Math.min(atMs, formerMs) });
  }

  /** What could not be claimed, or queued, is to be looked at again soon. */
  lookAgain(target: ClaimTarget): void {
    this.wakeIn(target, AGAIN_MS);
  }

  /** Everything is to be looked at. */
  wakeAll(): void {
    this.#pollAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Makes the looks whose time has come, the others too when one fails; throws the first fault. */
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
    // News that comes while the database is asked is of what its answer may not know.
    for (const shopId of shopIds) this.#woken.delete(shopId);
    try {
      await this.#lookAt(shopIds);
    } catch (error) {
      for (const shopId of shopIds) this.wake(shopId);
      throw error;
    } finally {
      // Who did not fit into this look is not made to wait.
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
      // Measured by the database: this process only waits.
      if (notice.waitMs > 0) this.wakeIn(notice, notice.waitMs);
      else if (!this.#keep(notice) && !this.#isKnown(notice)) {
        // No room: an origin that many shops share has more to be told than may wait.
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
        // What has a place in the queue has its turn, even if no slot is free for it just now.
        exceptFast: queue.fullOriginsOf(false),
        exceptSlow: queue.fullOriginsOf(true),
        limit: FOUND_MAX,
      });
      this.#answeredAtMs = performance.now();
      const kept = found.filter((notice) => this.#keep(notice));
      isMore = kept.length > 0 && found.length >= FOUND_MAX;
    } finally {
      // A poll that failed is not repeated at once; one during which news was lost is.
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
