import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { forEachShop } from '../database/each-shop.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';
import {
  type EndedAttempt,
  recordAttempts,
  recordSuccesses,
  type RecordOptions,
  type SettledAttempt,
} from './record.ts';

/** The maximum number of results per transaction. Its locks are held until all are written. */
const BATCH_MAX = 256;
/** The next batch grows in this pause. It delays no attempt, because a response frees the slot. */
const GATHER_MS = 10;
/** The pause before a retry when the database is unavailable or the row is locked. */
const RETRY_MS = 200;

interface PendingResult {
  readonly attempt: EndedAttempt;
  /** After this time (`performance.now`), another worker may claim the row. */
  readonly leaseEndsAtMs: number;
  readonly settle: (settled: SettledAttempt | null) => void;
}

/** Records results in batches, one transaction at a time. Under load the batches are larger. */
export class Recorder {
  readonly #db: Database;
  readonly #terms: RecordOptions;
  readonly #onFault: (error: unknown) => void;
  readonly #pending: PendingResult[] = [];
  /** Results with a locked row. They are retried later, so that others need not wait. */
  readonly #postponed = new Set<PendingResult>();
  #isRunning = false;
  readonly #closing = new AbortController();

  constructor(db: Database, terms: RecordOptions, onFault: (error: unknown) => void) {
    this.#db = db;
    this.#terms = terms;
    this.#onFault = onFault;
  }

  /** Resolves to null if the result was not recorded or the lease was lost. Never rejects. */
  async record(attempt: EndedAttempt, leaseEndsAtMs: number): Promise<SettledAttempt | null> {
    if (this.#closing.signal.aborted) return null;
    const { promise, resolve } = Promise.withResolvers<SettledAttempt | null>();
    this.#enqueue({ attempt, leaseEndsAtMs, settle: resolve });
    return await promise;
  }

  /** Drops the unrecorded results. The leases of their attempts expire. */
  close(): void {
    this.#closing.abort();
    for (const { settle } of [...this.#pending.splice(0), ...this.#postponed]) settle(null);
    this.#postponed.clear();
  }

  #enqueue(one: PendingResult): void {
    this.#pending.push(one);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#pending.length > 0) {
      const batch = this.#pending.splice(0, BATCH_MAX);
      const isDone = await this.#recordBatch(batch);
      if (!isDone) await pause(RETRY_MS);
      else if (this.#isGathering()) await pause(GATHER_MS);
    }
    this.#isRunning = false;
  }

  #isGathering(): boolean {
    const { length } = this.#pending;
    return length > 0 && length < BATCH_MAX && !this.#closing.signal.aborted;
  }

  /** Returns false if the database is unavailable. Results with a valid lease are queued again. */
  async #recordBatch(batch: readonly PendingResult[]): Promise<boolean> {
    let unrecorded = batch;
    try {
      if (await this.#db.isDistributed()) {
        const shops = splitByShop(batch);
        if (shops.length > 1) return await this.#recordShops(shops);
      } else {
        unrecorded = await this.#recordSuccesses(batch);
      }
      if (unrecorded.length === 0) return true;
      const attempts = unrecorded.map(({ attempt }) => attempt);
      const { settled, locked } = await this.#db.transaction(
        async (tx) => await recordAttempts(tx, attempts, this.#terms),
      );
      for (const one of unrecorded) {
        const { connectionId } = one.attempt.delivery;
        if (locked.has(connectionId)) this.#retryLater(one);
        else one.settle(settled.get(connectionId) ?? null);
      }
      return true;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) await this.#recordSingly(unrecorded, error);
      else this.#requeue(unrecorded);
      return false;
    }
  }

  /** Records the successes of a batch in one statement. Returns the results that remain. */
  async #recordSuccesses(batch: readonly PendingResult[]): Promise<readonly PendingResult[]> {
    const settled = new Map<string, SettledAttempt>();
    const items = batch.map(({ attempt }) => attempt);
    await recordSuccesses(this.#db, { shop: null, items }, this.#terms, settled);
    return batch.filter((one) => {
      const own = settled.get(one.attempt.delivery.connectionId);
      if (own !== undefined) one.settle(own);
      return own === undefined;
    });
  }

  /** On Citus, a transaction for several shops would need the nodes of all of them. */
  async #recordShops(shops: readonly (readonly PendingResult[])[]): Promise<boolean> {
    let isDone = true;
    await forEachShop(shops, async (batch) => {
      if (!isDone) this.#requeue(batch);
      else if (!(await this.#recordBatch(batch))) isDone = false;
    });
    return isDone;
  }

  /** Records each result separately, so that a result that fails does not fail the rest. */
  async #recordSingly(batch: readonly PendingResult[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      this.#onFault(error);
      for (const { settle } of batch) settle(null);
      return;
    }
    for (const one of batch) await this.#recordBatch([one]);
  }

  /** Retries a result until its lease has ended, because the process with the lock may be stuck. */
  #retryLater(one: PendingResult): void {
    if (this.#closing.signal.aborted || one.leaseEndsAtMs <= performance.now()) {
      one.settle(null);
      return;
    }
    this.#postponed.add(one);
    setTimeout(() => {
      if (this.#postponed.delete(one)) this.#enqueue(one);
    }, RETRY_MS);
  }

  #requeue(batch: readonly PendingResult[]): void {
    const nowMs = performance.now();
    for (const one of batch) {
      if (one.leaseEndsAtMs > nowMs && !this.#closing.signal.aborted) this.#pending.push(one);
      else one.settle(null);
    }
  }
}

function splitByShop(batch: readonly PendingResult[]): readonly (readonly PendingResult[])[] {
  return [...Map.groupBy(batch, ({ attempt }) => attempt.delivery.shopId).values()];
}
