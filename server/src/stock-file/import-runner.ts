import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../base/clock.ts';
import { FairLimiter, type LimiterOptions } from '../base/fair-limiter.ts';
import { type PeriodicWork, runPeriodically } from '../base/periodic.ts';
import { isDatabaseUnavailable } from '../database/unavailable.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { UnitShop } from '../inventory/unit.ts';
import { guessLayout } from './columns.ts';
import { digestOf, processStockFile } from './import-stock-file.ts';
import { readTable } from './read-table.ts';
import {
  claimUnfinishedImport,
  type ClaimedImport,
  recordResult,
  LeaseLost,
  recordProgress,
  releaseImport,
  selectUnclaimedImports,
} from './stock-import.ts';

export interface ImportRunnerDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly write: <T>(shopId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;
  readonly unitsMax: number;
  readonly onFault: (error: unknown) => void;
}

/** A parsed file takes up to 100 MB. A shop keeps at most five files. */
const RUN_BOUNDS: LimiterOptions = {
  bounds: [
    { running: 2, waiting: 1_000 },
    { running: 1, waiting: 5 },
  ],
  waitMsMax: Infinity,
};
/** How often files without a process are looked for, and how many are found at once. */
const RESUME_EVERY_MS = 5_000;
const RESUMED_MAX = 100;
/** The wait between attempts to release an import while the database is unavailable. */
const RELEASE_EVERY_MS = 2_000;

/** Checks and imports uploaded files in the background of this process. Shops take turns. */
export class ImportRunner {
  readonly #deps: ImportRunnerDeps;
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  readonly #limiter = new FairLimiter(RUN_BOUNDS);
  #resuming: PeriodicWork | null = null;

  constructor(deps: ImportRunnerDeps) {
    this.#deps = deps;
  }

  /**
   * Works on an import as soon as it is the shop's turn, unless a process is already working on it.
   */
  start(shop: UnitShop, importId: string): void {
    if (this.#closing.signal.aborted || this.#running.has(importId)) return;
    const { signal } = this.#closing;
    const run = this.#limiter
      .run([shop.id], async () => await this.#run(shop, importId), signal)
      .then(() => undefined)
      .catch((error: unknown) => this.#deps.onFault(error))
      .finally(() => this.#running.delete(importId));
    this.#running.set(importId, run);
  }

  /** Waits until this process has finished its current work. */
  async idle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  /** Stops after the current batch. Another process can continue immediately. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#resuming?.stop();
    await this.idle();
  }

  /** Looks for imports of processes that have ended, until `close`. */
  startResuming(): void {
    const { onFault } = this.#deps;
    this.#resuming = runPeriodically(RESUME_EVERY_MS, async () => await this.#resume(), onFault);
  }

  async #resume(): Promise<void> {
    const { db, clock, unitsMax } = this.#deps;
    for (const found of await db.query(selectUnclaimedImports, [clock.now(), RESUMED_MAX])) {
      this.start({ id: found.shopId, currency: found.currency, unitsMax }, found.importId);
    }
  }

  async #run(shop: UnitShop, importId: string): Promise<void> {
    const { db, clock } = this.#deps;
    const claimed = await claimUnfinishedImport(db, shop.id, importId, clock.now());
    if (claimed === undefined) return;
    const release = async (state: 'failed' | null): Promise<void> => {
      await db.count(releaseImport, [shop.id, importId, claimed.leaseId, state]);
    };
    try {
      await this.#work(shop, claimed);
    } catch (error) {
      if (error instanceof LeaseLost) return;
      if (this.#closing.signal.aborted) return await release(null);
      if (!isDatabaseUnavailable(error)) {
        await release('failed');
        throw error;
      }
      // Release it, because a lease that expires counts as the death of a process.
      await this.#retryWhileUnavailable(async () => await release(null));
    }
  }

  async #retryWhileUnavailable(work: () => Promise<void>): Promise<void> {
    while (!this.#closing.signal.aborted) {
      try {
        await work();
        return;
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
        await pause(RELEASE_EVERY_MS, null, { signal: this.#closing.signal }).catch(() => null);
      }
    }
  }

  async #work(shop: UnitShop, claimed: ClaimedImport): Promise<void> {
    const { db, clock, write } = this.#deps;
    const { settings, file, state, rowsDone, counts } = claimed;
    const table = await readTable(file);
    if (table.kind === 'file_fault') throw new Error(`a stored file has the fault ${table.code}`);
    const { carried } = guessLayout(table.headers);
    const by = { kind: 'member', accountId: claimed.accountId } as const;
    const result = await processStockFile(
      db,
      { ...shop, by },
      { table, carried, digest: digestOf(file) },
      settings,
      {
        clock,
        write: state === 'checking' ? null : async (work) => await write(shop.id, work),
        from: state === 'importing' && counts !== null ? { rowsDone, counts } : undefined,
        onProgress: async (tx, progress) =>
          await recordProgress(tx ?? db, shop.id, claimed, progress, clock.now()),
        signal: this.#closing.signal,
      },
    );
    await recordResult(db, shop.id, claimed, result);
  }
}
