import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from '../database/database.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';
import {
  type EndedAttempt,
  recordAttempts,
  type RecordTerms,
  type SettledAttempt,
} from './record.ts';

/** Results recorded in one transaction: half of what can be in flight. */
const BATCH_MAX = 256;
/**
 * Between two transactions while results keep coming, so that each takes more of them. An answer holds no slot, so
 * nothing waits for its record; the pace after it begins as much later.
 */
const GATHER_MS = 10;
/** Between two tries while the database is away, or the row is locked. */
const RETRY_MS = 200;

interface Waiting {
  readonly attempt: EndedAttempt;
  /** Until when the lease surely holds (`performance.now`); what is not recorded by then heals by its expiry. */
  readonly untilMs: number;
  readonly settle: (settled: SettledAttempt | null) => void;
}

/**
 * Records results in batches: one transaction is under way at a time, and what ends meanwhile, and some milliseconds
 * later, goes with the next. So the busier the worker, the fewer transactions a result costs, and none waits when it is
 * idle.
 */
export class Recorder {
  readonly #db: Database;
  readonly #terms: RecordTerms;
  readonly #onFault: (error: unknown) => void;
  readonly #waiting: Waiting[] = [];
  /** Those whose rows were locked. They are tried by themselves, so that the others do not wait for them. */
  readonly #putOff = new Set<Waiting>();
  #isRunning = false;
  readonly #giveUp = new AbortController();

  constructor(db: Database, terms: RecordTerms, onFault: (error: unknown) => void) {
    this.#db = db;
    this.#terms = terms;
    this.#onFault = onFault;
  }

  /** Records one result; null when it could not be, or the lease was lost. Never throws. */
  async record(attempt: EndedAttempt, untilMs: number): Promise<SettledAttempt | null> {
    if (this.#giveUp.signal.aborted) return null;
    const { promise, resolve } = Promise.withResolvers<SettledAttempt | null>();
    this.#wait({ attempt, untilMs, settle: resolve });
    return await promise;
  }

  /** Leaves what is not recorded yet to the expiry of its leases. */
  giveUp(): void {
    this.#giveUp.abort();
    for (const { settle } of [...this.#waiting.splice(0), ...this.#putOff]) settle(null);
    this.#putOff.clear();
  }

  #wait(one: Waiting): void {
    this.#waiting.push(one);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH_MAX);
      const isDone = await this.#recordBatch(batch);
      if (!isDone) await pause(RETRY_MS);
      else if (this.#isGathering()) await pause(GATHER_MS);
    }
    this.#isRunning = false;
  }

  /** True when some wait, and room is left for others, unless it is closing. */
  #isGathering(): boolean {
    const { length } = this.#waiting;
    return length > 0 && length < BATCH_MAX && !this.#giveUp.signal.aborted;
  }

  /** Returns false when the database is away: what may be tried again waits once more. */
  async #recordBatch(batch: readonly Waiting[]): Promise<boolean> {
    try {
      const attempts = batch.map(({ attempt }) => attempt);
      const { settled, locked } = await this.#db.transaction(
        async (tx) => await recordAttempts(tx, attempts, this.#terms),
      );
      for (const one of batch) {
        const { connectionId } = one.attempt.notice;
        if (locked.has(connectionId)) this.#tryLater(one);
        else one.settle(settled.get(connectionId) ?? null);
      }
      return true;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) await this.#recordSingly(batch, error);
      else this.#putBack(batch);
      return false;
    }
  }

  /** One result that cannot be recorded must not take the others along. */
  async #recordSingly(batch: readonly Waiting[], error: unknown): Promise<void> {
    if (batch.length === 1) {
      this.#onFault(error);
      for (const { settle } of batch) settle(null);
      return;
    }
    for (const one of batch) await this.#recordBatch([one]);
  }

  /** The process that has locked the row may be frozen: once the lease is over, its expiry heals the row. */
  #tryLater(one: Waiting): void {
    if (this.#giveUp.signal.aborted || one.untilMs <= performance.now()) {
      one.settle(null);
      return;
    }
    this.#putOff.add(one);
    setTimeout(() => {
      if (this.#putOff.delete(one)) this.#wait(one);
    }, RETRY_MS);
  }

  #putBack(batch: readonly Waiting[]): void {
    const nowMs = performance.now();
    for (const one of batch) {
      if (one.untilMs > nowMs && !this.#giveUp.signal.aborted) this.#waiting.push(one);
      else one.settle(null);
    }
  }
}
