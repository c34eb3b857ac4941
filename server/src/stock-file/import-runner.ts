import { isDatabaseUnavailable } from '../database/unavailable.ts';
import type { Clock } from '../base/clock.ts';
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
} from './stock-import.ts';

export interface ImportRunnerDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly write: <T>(shopId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;
  readonly onFault: (error: unknown) => void;
}

/** Checks and imports uploaded files in the background of this process. */
export class ImportRunner {
  readonly #deps: ImportRunnerDeps;
  readonly #running = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  constructor(deps: ImportRunnerDeps) {
    this.#deps = deps;
  }

  /**
   * Starts the work on an import unless a process is already working on it. Called whenever a
   * member looks at an unfinished import, so that an import continues after its process has died.
   */
  start(shop: UnitShop, importId: string): void {
    if (this.#closing.signal.aborted || this.#running.has(importId)) return;
    const run = this.#run(shop, importId)
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
    await this.idle();
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
      // If the database is unavailable, the lease expires, and the next `start` continues.
      if (!isDatabaseUnavailable(error)) await release('failed');
      throw error;
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
