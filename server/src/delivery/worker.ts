import { setTimeout as pause } from 'node:timers/promises';
import { endsWithin } from '../base/ends-within.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';
import { type ClaimedNotice, claimNotices } from './claim.ts';
import type { Delivery, DeliveryDeps, DeliveryState } from './terms.ts';
import { tellOfAttempt, tellOfInterruption, tellOfState } from './news.ts';
import type { DueNotice } from './due.ts';
import { DueLooks } from './due-looks.ts';
import { DueQueue, type TakenNotice } from './due-queue.ts';
import type { EndedAttempt } from './record.ts';
import { Recorder } from './recorder.ts';
import { sendClaimed } from './send-claimed.ts';

/**
 * Duration of a lease: 2 s until sending, 15 s for the attempt, and 8 s for an unavailable database
 * to come back and take the result. With a shorter lease a slow attempt could overlap with its
 * retry; with a longer one the claims of a dead worker wait longer.
 */
export const LEASE_MS = 25_000;
/**
 * Minimum time from the end of an attempt to the start of the connection's next: combines a burst
 * of changes into few notices.
 */
const PACE_MS = 1_000;
/** Pause between two polls, which find what no commit announces. */
const POLL_MS = 500;
/**
 * Claims per transaction: larger batches save little, and the first notice would wait for the last.
 */
const CLAIM_MAX = 128;
/**
 * Claimed and not yet recorded: twice what may be in flight. With fewer, attempts that wait for the
 * database would block sending; with more, as many leases have to expire after an outage of the
 * database.
 */
const CLAIMED_MAX = 1_024;
/**
 * How long a webhook that cannot be claimed, which only damaged rows cause, is left out and not
 * reported again.
 */
const UNCLAIMABLE_FOR_MS = 60_000;
/** Pause after a failed query or claim; doubled each time. */
const FAULT_PAUSE_MS = 250;
const FAULT_PAUSE_MS_MAX = 5_000;
/** How long results may take to be recorded after everything was aborted. */
const LAST_RECORDS_MS = 2_000;

/** Starts sending notices (decision 0104). */
export function startDelivery(deps: DeliveryDeps): Delivery {
  const worker = new DeliveryWorker(deps);
  const { db, channel } = deps;
  const topics = ['stock', 'access', 'webhooks'] as const;
  for (const topic of topics) channel.subscribe(topic, (shopId) => worker.wake(shopId));
  db.onAnnounced((topic, shopId) => {
    if (topics.some((each) => each === topic)) worker.wake(shopId);
  });
  channel.onReset(() => worker.wakeAll());
  worker.start();
  return worker;
}

/** The worker's loop: find, claim, send, record. */
class DeliveryWorker implements Delivery {
  readonly #deps: DeliveryDeps;
  readonly #leaseMs: number;
  readonly #paceMs: number;
  readonly #queue = new DueQueue();
  readonly #looks: DueLooks;
  readonly #recorder: Recorder;
  /**
   * By connection: the end of its attempt in flight. One attempt per connection, even after its
   * lease has expired.
   */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Connections that cannot be claimed; left out for a while. */
  readonly #unclaimable = new Set<string>();
  readonly #breakOff = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #changed = Promise.withResolvers<void>();
  #failures = 0;
  readonly #closing = new AbortController();

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    const { db, clock, secrets, options, onFault } = deps;
    this.#leaseMs = options?.leaseMs ?? LEASE_MS;
    const { random = Math.random, paceMs = PACE_MS } = options ?? {};
    this.#paceMs = paceMs;
    this.#recorder = new Recorder(db, { random, paceMs }, onFault);
    this.#looks = new DueLooks({
      db,
      clock,
      keyIds: secrets.keyIds,
      pollMs: options?.pollMs ?? POLL_MS,
      queue: this.#queue,
      isInFlight: (connectionId) =>
        this.#inFlight.has(connectionId) || this.#unclaimable.has(connectionId),
    });
  }

  get state(): DeliveryState {
    const { size, oldestSeenAtMs } = this.#queue;
    const oldestMs = oldestSeenAtMs === null ? 0 : performance.now() - oldestSeenAtMs;
    return {
      due: size,
      inFlight: this.#inFlight.size,
      oldestDueSeconds: oldestMs / 1_000,
      lastLookSeconds: (performance.now() - this.#looks.answeredAtMs) / 1_000,
    };
  }

  start(): void {
    this.#loop = this.#run();
  }

  wake(shopId: string): void {
    if (this.#closing.signal.aborted) return;
    this.#looks.wake(shopId);
    this.#changed.resolve();
  }

  /** Polls everything, because notifications may have been missed. */
  wakeAll(): void {
    if (this.#closing.signal.aborted) return;
    this.#looks.wakeAll();
    this.#changed.resolve();
  }

  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    this.#changed.resolve();
    const ended = this.#ended();
    await endsWithin(ended, deadlineMs);
    this.#breakOff.abort();
    await endsWithin(ended, LAST_RECORDS_MS);
    this.#recorder.giveUp();
  }

  async #ended(): Promise<void> {
    await this.#loop;
    await Promise.all(this.#inFlight.values());
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const [looked] = await Promise.allSettled([this.#looks.look()]);
      // Claims even if a query failed: the others have found webhooks.
      const [claimed] = await Promise.allSettled([this.#claim()]);
      if (looked.status === 'rejected') await this.#recover(looked.reason);
      else if (claimed.status === 'rejected') await this.#recover(claimed.reason);
      else {
        this.#failures = 0;
        if (!claimed.value) await this.#rest();
      }
    }
  }

  /** Claims as many notices as there are slots and sends them. True when there may be more. */
  async #claim(): Promise<boolean> {
    if (this.#closing.signal.aborted) return false;
    if (this.#deps.options?.isHeld?.() === true) return false;
    const room = Math.min(CLAIM_MAX, CLAIMED_MAX - this.#inFlight.size);
    const taken = this.#queue.take(room);
    if (taken.length === 0) return false;
    try {
      await this.#claimTogether(taken);
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        this.#putBack(taken);
        throw error;
      }
      await this.#claimSingly(taken);
    }
    return taken.length === CLAIM_MAX;
  }

  /**
   * Claims each separately, so that one that fails does not fail the others. It is reported and
   * left out for a while.
   */
  async #claimSingly(taken: readonly TakenNotice[]): Promise<void> {
    for (const [index, one] of taken.entries()) {
      try {
        await this.#claimTogether([one]);
      } catch (error) {
        if (isDatabaseUnavailable(error)) {
          this.#putBack(taken.slice(index));
          throw error;
        }
        this.#queue.release(one.notice);
        this.#setAside(one.notice.connectionId);
        this.#deps.onFault(error);
      }
    }
  }

  #putBack(taken: readonly TakenNotice[]): void {
    for (const { notice, seenAtMs } of taken) {
      this.#queue.release(notice);
      this.#queue.add(notice, seenAtMs);
    }
  }

  #setAside(connectionId: string): void {
    this.#unclaimable.add(connectionId);
    setTimeout(() => this.#unclaimable.delete(connectionId), UNCLAIMABLE_FOR_MS).unref();
  }

  /** Claims in one transaction and sends the claimed notices; the others are checked again. */
  async #claimTogether(taken: readonly TakenNotice[]): Promise<void> {
    const { db, clock, secrets } = this.#deps;
    const targets = taken.map(({ notice }) => notice);
    const terms = { keyIds: secrets.keyIds, now: clock.now(), leaseMs: this.#leaseMs };
    let claimedAtMs = 0;
    const rows = await db.transaction(async (tx) => {
      // Taken before the database starts the leases, so that we never assume a lease lasts longer
      // than it does.
      claimedAtMs = performance.now();
      return await claimNotices(tx, targets, terms);
    });
    const claimed = new Map(rows.map((row) => [row.connectionId, row]));
    for (const { notice: due } of taken) {
      const notice = claimed.get(due.connectionId);
      if (notice === undefined) {
        this.#queue.release(due);
        // Another worker has claimed it, or its row is being changed.
        this.#looks.lookAgain(due);
        continue;
      }
      this.#inFlight.set(notice.connectionId, this.#deliver(notice, due, claimedAtMs));
    }
  }

  /** Sends and records. Never rejects. */
  async #deliver(notice: ClaimedNotice, due: DueNotice, claimedAtMs: number): Promise<void> {
    try {
      const attempt = await this.#send(notice, due, claimedAtMs);
      await this.#record(attempt, claimedAtMs + this.#leaseMs);
    } catch (error) {
      this.#deps.onFault(error);
    } finally {
      this.#inFlight.delete(notice.connectionId);
      this.#changed.resolve();
    }
  }

  /**
   * Sends a notice. Frees the slot at the response: the wait for the database is not the
   * receiver's.
   */
  async #send(notice: ClaimedNotice, due: DueNotice, claimedAtMs: number): Promise<EndedAttempt> {
    const { clock, log, meters } = this.#deps;
    try {
      if (notice.interruptedNumber !== null) {
        meters.failed('interrupted');
        tellOfInterruption(log, notice, notice.interruptedNumber);
      }
      const begunAt = clock.now();
      const result = await sendClaimed(notice, claimedAtMs, this.#deps, this.#breakOff.signal);
      const endedAt = clock.now();
      tellOfAttempt(log, notice, result);
      if (result.kind === 'failed') meters.failed(result.error);
      else {
        meters.delivered();
        if (notice.attempt === 1 && notice.failures === 0 && !notice.isTrial) {
          // The writer's clock may be ahead of ours.
          const waitedMs = Math.max(0, begunAt.getTime() - notice.occurredAt.getTime());
          meters.receipt(waitedMs + result.latencyMs);
        }
      }
      return { notice, result, endedAt };
    } finally {
      this.#queue.release(due);
      this.#changed.resolve();
    }
  }

  async #record(attempt: EndedAttempt, untilMs: number): Promise<void> {
    const settled = await this.#recorder.record(attempt, untilMs);
    if (settled === null) return;
    const { notice, result, endedAt } = attempt;
    tellOfState(this.#deps.log, notice, { result, after: settled.after, endedAt });
    if (settled.after.kind === 'removed') return;
    // Even if the record saw nothing to send: a change committed between its read of the feed head
    // and its commit was announced while the row was leased.
    this.#looks.wakeIn(notice, settled.waitMs ?? this.#paceMs);
  }

  /** Waits until there is something to query or to claim. */
  async #rest(): Promise<void> {
    const restMs = this.#looks.nextAtMs - performance.now();
    if (restMs > 0 && !this.#closing.signal.aborted) {
      const timer = setTimeout(this.#changed.resolve, restMs);
      await this.#changed.promise;
      clearTimeout(timer);
    }
    this.#changed = Promise.withResolvers();
  }

  /**
   * Pauses after an error. Nothing is lost: shops with a failed query stay woken, and a lost
   * channel triggers a poll.
   */
  async #recover(fault: unknown): Promise<void> {
    this.#deps.onFault(fault);
    const pauseMs = Math.min(FAULT_PAUSE_MS * 2 ** this.#failures, FAULT_PAUSE_MS_MAX);
    this.#failures = Math.min(this.#failures + 1, 10);
    const { signal } = this.#closing;
    await Promise.allSettled([pause(pauseMs, undefined, { signal })]);
  }
}
