import { setTimeout as pause } from 'node:timers/promises';
import { endsWithin } from '../base/ends-within.ts';
import { forEachShop } from '../database/each-shop.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';
import { type ClaimedDelivery, claimDeliveries } from './claim.ts';
import type { DeliveryWorker, DeliveryDeps, DeliveryState } from './delivery-worker.ts';
import { logAttempt, logInterruption, logWebhookState } from './delivery-log.ts';
import type { DueDelivery } from './due.ts';
import { DuePoller } from './due-poller.ts';
import { DueQueue, type DequeuedDelivery } from './due-queue.ts';
import type { EndedAttempt } from './record.ts';
import { Recorder } from './recorder.ts';
import { sendClaimed } from './send-claimed.ts';

/**
 * 2 s until sending, 15 s for the attempt, and 8 s for an unavailable database to come back and
 * take the result. With a shorter lease a slow attempt could overlap with its retry; with a longer
 * one the claims of a dead worker wait longer.
 */
export const LEASE_MS = 25_000;
/** From the end of an attempt to the connection's next: combines a burst of changes. */
const MIN_INTERVAL_MS = 1_000;
/** Pause between two polls, which find what no commit announces. */
const POLL_MS = 500;
/** Per transaction: larger batches save little, and the first event would wait for the last. */
const CLAIM_MAX = 128;
/**
 * Claimed and not yet recorded: twice what may be in flight. With fewer, attempts that wait for the
 * database would block sending; with more, as many leases must expire after its outage.
 */
const CLAIMED_MAX = 1_024;
/** How long a webhook that cannot be claimed is left out; only damaged rows cause that. */
const UNCLAIMABLE_FOR_MS = 60_000;
/** After a failed query or claim; doubled each time. */
const FAULT_PAUSE_MS = 250;
const FAULT_PAUSE_MS_MAX = 5_000;
/** How long results may take to be recorded after everything was aborted. */
const LAST_RECORDS_MS = 2_000;

/** Starts sending events (decision 0104). */
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

/** The worker's loop: find, claim, send, record. */
class DeliveryLoop implements DeliveryWorker {
  readonly #deps: DeliveryDeps;
  readonly #leaseMs: number;
  readonly #minIntervalMs: number;
  readonly #queue = new DueQueue();
  readonly #poller: DuePoller;
  readonly #recorder: Recorder;
  /** By connection. One attempt per connection, even after its lease has expired. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Left out for a while. */
  readonly #unclaimable = new Set<string>();
  readonly #aborting = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #wakeUp = Promise.withResolvers<void>();
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
      inFlight: this.#inFlight.size,
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
    this.#wakeUp.resolve();
  }

  /** Polls everything, because notifications may have been missed. */
  wakeAll(): void {
    if (this.#closing.signal.aborted) return;
    this.#poller.wakeAll();
    this.#wakeUp.resolve();
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
      // Claims even if a query failed: the others have found webhooks.
      const [claimed] = await Promise.allSettled([this.#claim()]);
      if (polled.status === 'rejected') await this.#backOff(polled.reason);
      else if (claimed.status === 'rejected') await this.#backOff(claimed.reason);
      else {
        this.#failures = 0;
        if (!claimed.value) await this.#waitForWork();
      }
    }
  }

  /** Claims as many deliveries as there are slots and sends them. True when there may be more. */
  async #claim(): Promise<boolean> {
    if (this.#closing.signal.aborted) return false;
    if (this.#deps.options?.isHeld?.() === true) return false;
    const capacity = Math.min(CLAIM_MAX, CLAIMED_MAX - this.#inFlight.size);
    const taken = this.#queue.take(capacity);
    if (taken.length === 0) return false;
    // On Citus always: a transaction over shops would need all of their nodes.
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

  /** Claims each separately, so that one failure, which is reported, does not fail the others. */
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

  /** Claims in one transaction and sends what was claimed; the others are checked again. */
  async #claimBatch(taken: readonly DequeuedDelivery[]): Promise<void> {
    const { db, clock, secrets } = this.#deps;
    const targets = taken.map(({ delivery }) => delivery);
    const terms = { keyIds: secrets.keyIds, now: clock.now(), leaseMs: this.#leaseMs };
    let claimedAtMs = 0;
    const rows = await db.transaction(async (tx) => {
      // Taken first, so that we never assume that a lease lasts longer than it does.
      claimedAtMs = performance.now();
      return await claimDeliveries(tx, targets, terms);
    });
    const claimed = new Map(rows.map((row) => [row.connectionId, row]));
    for (const { delivery: due } of taken) {
      const delivery = claimed.get(due.connectionId);
      if (delivery === undefined) {
        this.#queue.release(due);
        // Another worker has claimed it, or its row is being changed.
        this.#poller.recheckSoon(due);
        continue;
      }
      this.#inFlight.set(delivery.connectionId, this.#deliver(delivery, due, claimedAtMs));
    }
  }

  /** Never rejects. */
  async #deliver(delivery: ClaimedDelivery, due: DueDelivery, claimedAtMs: number): Promise<void> {
    try {
      const attempt = await this.#send(delivery, due, claimedAtMs);
      await this.#record(attempt, claimedAtMs + this.#leaseMs);
    } catch (error) {
      this.#deps.onFault(error);
    } finally {
      this.#inFlight.delete(delivery.connectionId);
      this.#wakeUp.resolve();
    }
  }

  /** Frees the slot at the response: the wait for the database is not the receiver's. */
  async #send(
    delivery: ClaimedDelivery,
    due: DueDelivery,
    claimedAtMs: number,
  ): Promise<EndedAttempt> {
    const { clock, log, meters } = this.#deps;
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
        if (delivery.attempt === 1 && delivery.failures === 0 && !delivery.isTrial) {
          // The writer's clock may be ahead of ours.
          const waitedMs = Math.max(0, sendingAt.getTime() - delivery.occurredAt.getTime());
          meters.receiptTime(waitedMs + result.latencyMs);
        }
      }
      return { delivery, result, endedAt };
    } finally {
      this.#queue.release(due);
      this.#wakeUp.resolve();
    }
  }

  async #record(attempt: EndedAttempt, leaseEndsAtMs: number): Promise<void> {
    const settled = await this.#recorder.record(attempt, leaseEndsAtMs);
    if (settled === null) return;
    const { delivery, result, endedAt } = attempt;
    logWebhookState(this.#deps.log, delivery, { result, after: settled.after, endedAt });
    if (settled.after.kind === 'removed') return;
    // Even if the record saw nothing to send: a change committed between its read of the feed head
    // and its commit was announced while the row was leased.
    this.#poller.wakeAfter(delivery, settled.waitMs ?? this.#minIntervalMs);
  }

  async #waitForWork(): Promise<void> {
    const idleMs = this.#poller.nextAtMs - performance.now();
    if (idleMs > 0 && !this.#closing.signal.aborted) {
      const timer = setTimeout(this.#wakeUp.resolve, idleMs);
      await this.#wakeUp.promise;
      clearTimeout(timer);
    }
    this.#wakeUp = Promise.withResolvers();
  }

  /** Nothing is lost: shops with a failed query stay woken, and a lost channel triggers a poll. */
  async #backOff(fault: unknown): Promise<void> {
    this.#deps.onFault(fault);
    const pauseMs = Math.min(FAULT_PAUSE_MS * 2 ** this.#failures, FAULT_PAUSE_MS_MAX);
    this.#failures = Math.min(this.#failures + 1, 10);
    const { signal } = this.#closing;
    await Promise.allSettled([pause(pauseMs, undefined, { signal })]);
  }
}
