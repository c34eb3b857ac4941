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
 * How long a claim holds: 2 s until it is sent, 15 s for the attempt, and 8 s in which a database that was away may come
 * back for the result. Shorter, and a slow attempt could meet its own repetition; longer, and what a worker that died
 * had claimed waits longer.
 */
export const LEASE_MS = 25_000;
/** From the end of an attempt to the begin of the next of its connection: a burst of changes is few notices. */
const PACE_MS = 1_000;
/** Between two looks at what no commit wakes anybody for. */
const POLL_MS = 500;
/** Claimed in one transaction: larger ones save little, and the first would wait for the last. */
const CLAIM_MAX = 128;
/**
 * Claimed and not recorded yet: twice what may be on its way. Fewer, and answers that wait for the database would hold up
 * what could be sent; more, and a database that was away would find as many leases to wait for.
 */
const CLAIMED_MAX = 1_024;
/** What cannot be claimed at all, as only damaged rows cannot, is tried and told again after so long. */
const UNCLAIMABLE_FOR_MS = 60_000;
/** Pauses after a failed look or claim: each doubles the one before. */
const FAULT_PAUSE_MS = 250;
const FAULT_PAUSE_MS_MAX = 5_000;
/** How long results may take to be recorded once everything was broken off. */
const LAST_RECORDS_MS = 2_000;

/** Begins to send notices (decision 0104). */
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

/** One worker's loop: look, claim, send, record. */
class DeliveryWorker implements Delivery {
  readonly #deps: DeliveryDeps;
  readonly #leaseMs: number;
  readonly #paceMs: number;
  readonly #queue = new DueQueue();
  readonly #looks: DueLooks;
  readonly #recorder: Recorder;
  /** Of every connection whose notice is in flight: its end. One attempt per connection, also where a lease has ended. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Connections whose claims cannot be made: they are left alone for a while. */
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

  /** Looks at everything: news may have been missed. */
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
      // Also when a look has failed: what the others have found is claimed.
      const [claimed] = await Promise.allSettled([this.#claim()]);
      if (looked.status === 'rejected') await this.#recover(looked.reason);
      else if (claimed.status === 'rejected') await this.#recover(claimed.reason);
      else {
        this.#failures = 0;
        if (!claimed.value) await this.#rest();
      }
    }
  }

  /** Claims what there are slots for, and sends it. True when there may be more. */
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

  /** One claim that cannot be made must not take the others along. It is told, and put off for a while. */
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

  /** Claims in one transaction and sends what was claimed; what was not is looked at again. */
  async #claimTogether(taken: readonly TakenNotice[]): Promise<void> {
    const { db, clock, secrets } = this.#deps;
    const targets = taken.map(({ notice }) => notice);
    const terms = { keyIds: secrets.keyIds, now: clock.now(), leaseMs: this.#leaseMs };
    let claimedAtMs = 0;
    const rows = await db.transaction(async (tx) => {
      // Before the database begins the leases, so that nothing is held for longer than it is thought to be.
      claimedAtMs = performance.now();
      return await claimNotices(tx, targets, terms);
    });
    const claimed = new Map(rows.map((row) => [row.connectionId, row]));
    for (const { notice: due } of taken) {
      const notice = claimed.get(due.connectionId);
      if (notice === undefined) {
        this.#queue.release(due);
        // Another worker has it, or its row is being changed.
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

  /** Gives back the slot at the answer: how long a result waits for the database is no matter of the receiver. */
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
          // The writer's clock may be ahead of this one.
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
    // Also when the record saw nothing to tell: the news of a change that was committed after it had read the head, and
    // before its own commit, found the row leased.
    this.#looks.wakeIn(notice, settled.waitMs ?? this.#paceMs);
  }

  /** Until there is something to look at, or to be claimed. */
  async #rest(): Promise<void> {
    const restMs = this.#looks.nextAtMs - performance.now();
    if (restMs > 0 && !this.#closing.signal.aborted) {
      const timer = setTimeout(this.#changed.resolve, restMs);
      await this.#changed.promise;
      clearTimeout(timer);
    }
    this.#changed = Promise.withResolvers();
  }

  /** Nothing is made up for: shops whose look failed are woken still, and a lost channel has everything looked at. */
  async #recover(fault: unknown): Promise<void> {
    this.#deps.onFault(fault);
    const pauseMs = Math.min(FAULT_PAUSE_MS * 2 ** this.#failures, FAULT_PAUSE_MS_MAX);
    this.#failures = Math.min(this.#failures + 1, 10);
    const { signal } = this.#closing;
    await Promise.allSettled([pause(pauseMs, undefined, { signal })]);
  }
}
