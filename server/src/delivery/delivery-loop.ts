import { setTimeout as pause } from 'node:timers/promises';
import { endsWithin } from '../base/ends-within.ts';
import type { Queryable } from '../database/database.ts';
import { forEachShop } from '../database/each-shop.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';
import { type ClaimedDelivery, claimDeliveries } from './claim.ts';
import type { DeliveryWorker, DeliveryDeps, DeliveryState } from './delivery-worker.ts';
import { logAttempt, logInterruption, logWebhookState } from './delivery-log.ts';
import type { DueDelivery } from './due-deliveries.ts';
import { DuePoller } from './due-poller.ts';
import { DueQueue, HANGING_MS, type DequeuedDelivery } from './due-queue.ts';
import type { EndedAttempt } from './record.ts';
import { Recorder } from './recorder.ts';
import { sendClaimed } from './send-claimed.ts';

/**
 * A lease covers 2 s until sending, 15 s for the attempt, and 8 s for recording, in case the
 * database is briefly unavailable. With a shorter lease a slow attempt could overlap with its
 * retry. With a longer one the claims of a dead worker would wait longer.
 */
export const LEASE_MS = 25_000;
/** The minimum time between two attempts of a connection: a burst of changes becomes one event. */
const MIN_INTERVAL_MS = 1_000;
/** The pause between two polls, which find due webhooks that no notification announces. */
const POLL_MS = 500;
/** Claims per transaction. Larger ones save little, and their first event waits for the last. */
const CLAIM_MAX = 128;
// The maximum number of deliveries that are claimed and not yet recorded: 512 more than can be in
// flight. With fewer, attempts that wait for the database would block sending. With more, more
// leases would have to expire after a database outage.
const CLAIMED_MAX = 2_048;
/** How long the worker skips a webhook that cannot be claimed. Only damaged rows cause this. */
const UNCLAIMABLE_FOR_MS = 60_000;
/** The pause after a failed query or claim, doubled with each consecutive failure. */
const FAULT_PAUSE_MS = 250;
const FAULT_PAUSE_MS_MAX = 5_000;
/** How long `close` waits for the results of aborted attempts to be recorded. */
const LAST_RECORDS_MS = 2_000;

/** Starts a worker that sends events to webhooks (decision 0104). */
export function startDeliveryWorker(deps: DeliveryDeps): DeliveryWorker {
  const worker = new DeliveryLoop(deps);
  const { db, channel } = deps;
  const topics = ['stock', 'access', 'webhooks'] as const;
  for (const topic of topics) channel.subscribe(topic, (shopId) => worker.wake(shopId));
  db.onAnnouncement((topic, shopId) => {
    if (topics.some((each) => each === topic)) worker.wake(shopId);
  });
  channel.onReset(() => worker.wakeAll());
  worker.start();
  return worker;
}

class DeliveryLoop implements DeliveryWorker {
  readonly #deps: DeliveryDeps;
  readonly #leaseMs: number;
  readonly #minIntervalMs: number;
  readonly #queue = new DueQueue();
  readonly #poller: DuePoller;
  readonly #recorder: Recorder;
  /** The attempts by connection id: at most one each, even after the lease has expired. */
  readonly #inFlight = new Map<string, Promise<void>>();
  readonly #unclaimable = new Set<string>();
  readonly #aborting = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #wakeUp = Promise.withResolvers<void>();
  /** When the loop wakes up by itself (`performance.now`). It is in the past unless it sleeps. */
  #sleepsUntilMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  readonly #closing = new AbortController();

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
    const { db, clock, secrets, options, onFault } = deps;
    this.#leaseMs = options?.leaseMs ?? LEASE_MS;
    const { random = Math.random, minIntervalMs = MIN_INTERVAL_MS } = options ?? {};
    this.#minIntervalMs = minIntervalMs;
    this.#recorder = new Recorder(db, { random, minIntervalMs }, onFault);
    this.#poller = new DuePoller({
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
    const { size, oldestFoundAtMs } = this.#queue;
    const oldestMs = oldestFoundAtMs === null ? 0 : performance.now() - oldestFoundAtMs;
    return {
      due: size,
      inFlight: this.#queue.running,
      oldestDueSeconds: oldestMs / 1_000,
      lastPollSeconds: (performance.now() - this.#poller.lastAnswerAtMs) / 1_000,
    };
  }

  start(): void {
    this.#loop = this.#run();
  }

  wake(shopId: string): void {
    if (this.#closing.signal.aborted) return;
    this.#poller.wake(shopId);
    this.#wakeForPoll();
  }

  /** Polls for all due webhooks, because notifications may have been missed. */
  wakeAll(): void {
    if (this.#closing.signal.aborted) return;
    this.#poller.wakeAll();
    this.#wakeForPoll();
  }

  #wakeForPoll(): void {
    if (this.#poller.nextAtMs < this.#sleepsUntilMs) this.#wakeUp.resolve();
  }

  #wakeForClaim(): void {
    if (this.#queue.size > 0) this.#wakeUp.resolve();
  }

  async close(deadlineMs: number): Promise<void> {
    this.#closing.abort();
    this.#wakeUp.resolve();
    const ended = this.#drained();
    await endsWithin(ended, deadlineMs);
    this.#aborting.abort();
    await endsWithin(ended, LAST_RECORDS_MS);
    this.#recorder.close();
  }

  async #drained(): Promise<void> {
    await this.#loop;
    await Promise.all(this.#inFlight.values());
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const [polled] = await Promise.allSettled([this.#poller.poll()]);
      // If one query failed, the other may still have found webhooks, so claim in any case.
      const [claimed] = await Promise.allSettled([this.#claim()]);
      if (polled.status === 'rejected') await this.#backOff(polled.reason);
      else if (claimed.status === 'rejected') await this.#backOff(claimed.reason);
      else {
        this.#failures = 0;
        if (!claimed.value) await this.#waitForWork();
      }
    }
  }

  /** Returns true if the batch was full, because more deliveries may be due. */
  async #claim(): Promise<boolean> {
    if (this.#closing.signal.aborted) return false;
    if (this.#deps.options?.isHeld?.() === true) return false;
    const capacity = Math.min(CLAIM_MAX, CLAIMED_MAX - this.#inFlight.size);
    const taken = this.#queue.take(capacity);
    if (taken.length === 0) return false;
    // On Citus, a transaction for several shops would need the nodes of all of them.
    let isSingly = false;
    try {
      isSingly = await this.#deps.db.isDistributed();
      if (!isSingly) await this.#claimBatch(taken);
    } catch (error) {
      if (isDatabaseUnavailable(error)) {
        this.#requeue(taken);
        throw error;
      }
      isSingly = true;
    }
    if (isSingly) await this.#claimSingly(taken);
    return taken.length === CLAIM_MAX;
  }

  /** Uses separate transactions, so that one failure, which is reported, does not fail the rest. */
  async #claimSingly(taken: readonly DequeuedDelivery[]): Promise<void> {
    const losses: unknown[] = [];
    await forEachShop(taken, async (one) => {
      try {
        if (losses.length === 0) await this.#claimBatch([one]);
        else this.#requeue([one]);
      } catch (error) {
        if (isDatabaseUnavailable(error)) {
          losses.push(error);
          this.#requeue([one]);
          return;
        }
        this.#queue.release(one.delivery);
        this.#quarantine(one.delivery.connectionId);
        this.#deps.onFault(error);
      }
    });
    if (losses.length > 0) throw losses[0];
  }

  #requeue(taken: readonly DequeuedDelivery[]): void {
    for (const { delivery, foundAtMs } of taken) {
      this.#queue.release(delivery);
      this.#queue.add(delivery, foundAtMs);
    }
  }

  #quarantine(connectionId: string): void {
    this.#unclaimable.add(connectionId);
    setTimeout(() => this.#unclaimable.delete(connectionId), UNCLAIMABLE_FOR_MS).unref();
  }

  /** Starts sending the deliveries that it could claim. The others are checked again soon. */
  async #claimBatch(taken: readonly DequeuedDelivery[]): Promise<void> {
    const { db, clock, secrets } = this.#deps;
    const targets = taken.map(({ delivery }) => delivery);
    const terms = { keyIds: secrets.keyIds, now: clock.now(), leaseMs: this.#leaseMs };
    let claimedAtMs = 0;
    const claim = async (on: Queryable): Promise<ClaimedDelivery[]> => {
      // Read first, so that this worker never assumes a longer lease than the database granted.
      claimedAtMs = performance.now();
      return await claimDeliveries(on, targets, terms);
    };
    // On plain PostgreSQL a claim is one statement. A transaction would add two round trips.
    const rows = (await db.isDistributed()) ? await db.transaction(claim) : await claim(db);
    const claimed = new Map(rows.map((row) => [row.connectionId, row]));
    for (const { delivery: due } of taken) {
      const delivery = claimed.get(due.connectionId);
      if (delivery === undefined) {
        this.#queue.release(due);
        // Another worker has claimed this delivery, or its row is locked by a change.
        this.#poller.recheckSoon(due);
        continue;
      }
      this.#inFlight.set(delivery.connectionId, this.#deliver(delivery, due, claimedAtMs));
    }
  }

  /** Sends one delivery and records the result. Never rejects. */
  async #deliver(delivery: ClaimedDelivery, due: DueDelivery, claimedAtMs: number): Promise<void> {
    try {
      const attempt = await this.#send(delivery, due, claimedAtMs);
      await this.#record(attempt, claimedAtMs + this.#leaseMs);
    } catch (error) {
      this.#deps.onFault(error);
    } finally {
      this.#inFlight.delete(delivery.connectionId);
      this.#wakeForClaim();
    }
  }

  /** Frees the slot before the result is recorded, because recording does not load the receiver. */
  async #send(
    delivery: ClaimedDelivery,
    due: DueDelivery,
    claimedAtMs: number,
  ): Promise<EndedAttempt> {
    const { clock, log, meters } = this.#deps;
    const timer = setTimeout(() => {
      this.#queue.markHanging(due);
      this.#wakeForClaim();
    }, HANGING_MS);
    try {
      if (delivery.interruptedNumber !== null) {
        meters.failed('interrupted');
        logInterruption(log, delivery, delivery.interruptedNumber);
      }
      const sendingAt = clock.now();
      const result = await sendClaimed(delivery, claimedAtMs, this.#deps, this.#aborting.signal);
      const endedAt = clock.now();
      logAttempt(log, delivery, result);
      if (result.kind === 'failed') meters.failed(result.error);
      else {
        meters.delivered();
        if (delivery.attempt === 1 && delivery.failures === 0 && !delivery.isTestDelivery) {
          // The clock of the process that wrote the change may be ahead of this process's clock.
          const waitedMs = Math.max(0, sendingAt.getTime() - delivery.occurredAt.getTime());
          meters.receiptTime(waitedMs + result.latencyMs);
        }
      }
      return { delivery, result, endedAt };
    } finally {
      clearTimeout(timer);
      this.#queue.release(due);
      this.#wakeForClaim();
    }
  }

  async #record(attempt: EndedAttempt, leaseEndsAtMs: number): Promise<void> {
    const settled = await this.#recorder.record(attempt, leaseEndsAtMs);
    if (settled === null) return;
    const { delivery, result, endedAt } = attempt;
    logWebhookState(this.#deps.log, delivery, { result, after: settled.after, endedAt });
    if (settled.after.kind === 'removed') return;
    // Wake the shop even if nothing is left to send. A change that was committed after the
    // recording read the feed head was announced while the row was still leased.
    this.#poller.wakeAfter(delivery, settled.waitMs ?? this.#minIntervalMs);
    this.#wakeForPoll();
  }

  async #waitForWork(): Promise<void> {
    const nextAtMs = this.#poller.nextAtMs;
    const idleMs = nextAtMs - performance.now();
    if (idleMs > 0 && !this.#closing.signal.aborted) {
      this.#sleepsUntilMs = nextAtMs;
      const timer = setTimeout(this.#wakeUp.resolve, idleMs);
      await this.#wakeUp.promise;
      clearTimeout(timer);
      this.#sleepsUntilMs = Number.NEGATIVE_INFINITY;
    }
    this.#wakeUp = Promise.withResolvers();
  }

  /**
   * Pauses after a fault, longer after each consecutive one. No wake-up is lost: a shop whose query
   * failed stays marked, and losing the channel triggers a poll of all shops.
   */
  async #backOff(fault: unknown): Promise<void> {
    this.#deps.onFault(fault);
    const pauseMs = Math.min(FAULT_PAUSE_MS * 2 ** this.#failures, FAULT_PAUSE_MS_MAX);
    this.#failures = Math.min(this.#failures + 1, 10);
    const { signal } = this.#closing;
    await Promise.allSettled([pause(pauseMs, undefined, { signal })]);
  }
}
