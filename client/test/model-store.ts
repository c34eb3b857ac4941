import type { StoreTarget, SyncStep, TransactionTarget } from '../src/sync-target.ts';
import type { Change } from '../src/types.ts';

/** Simulates the end of the process. */
export class Crash extends Error {
  override name = 'Crash';
}

/** The contents of a store. */
export interface StoreContents {
  cursor: string | null;
  readonly rows: Map<string, { value: number; isOld: boolean }>;
}

/** A minimal database of an app, with a process that can crash at any step. */
export class ModelStore {
  kept: StoreContents = { cursor: null, rows: new Map() };
  /** The names of the called functions, in order. */
  readonly calls: string[] = [];
  #stepsLeft = Infinity;
  #turn: Promise<unknown> = Promise.resolve();

  /** Crashes the process after this many more steps. */
  crashAfter(steps: number): void {
    this.#stepsLeft = steps;
  }

  state(): ReadonlyMap<string, number> {
    return new Map([...this.kept.rows].map(([id, { value }]) => [id, value]));
  }

  /** Returns a target without transactions, which stores the records first and then the cursor. */
  plainTarget(): TransactionTarget {
    const steps = this.#steps();
    return {
      load: () => this.#load(),
      upsert: (changes) => steps.upsert(changes, this.kept),
      save: (cursor) => steps.save(cursor, this.kept),
      restart: () => steps.restart(this.kept),
      finishRestart: () => steps.finishRestart(this.kept),
    };
  }

  /** Returns a target with transactions, which run one after another. */
  wholeTarget(): TransactionTarget<StoreContents> {
    return {
      ...this.#steps(),
      load: () => this.#load(),
      transaction: async (work) => {
        await this.#inTurn(async () => {
          const copy = copyOf(this.kept);
          this.#step('begin');
          await work(copy);
          this.#step('commit');
          this.kept = copy;
          this.#step('committed');
        });
      },
    };
  }

  /** Returns a target with transactions that several processes may use. */
  sharedTarget(): TransactionTarget<StoreContents> {
    return { ...this.wholeTarget(), loadLocked: (kept) => kept.cursor };
  }

  /** Returns a target with a synchronous `store`, as with SQLite. */
  storeTarget(): StoreTarget {
    return {
      load: () => this.#load(),
      store: (step) => {
        const copy = copyOf(this.kept);
        this.#step('begin');
        this.#keep(step, copy);
        this.#step('commit');
        this.kept = copy;
        this.#step('committed');
      },
    };
  }

  /** Returns a target with a synchronous `store` that several processes may use. */
  sharedStoreTarget(): StoreTarget {
    const own = this.storeTarget();
    return {
      load: () => own.load(),
      store: (step) => (step.before === this.kept.cursor ? own.store(step) : false),
    };
  }

  #keep({ changes, cursor, isRestart, isRestartDone }: SyncStep, kept: StoreContents): void {
    const { restart, upsert, finishRestart, save } = this.#steps();
    if (isRestart) restart(kept);
    if (changes.length > 0) upsert(changes, kept);
    if (isRestartDone) finishRestart(kept);
    save(cursor, kept);
  }

  #load(): string | null {
    this.#step('load');
    return this.kept.cursor;
  }

  #steps(): Required<
    Pick<TransactionTarget<StoreContents>, 'upsert' | 'save' | 'restart' | 'finishRestart'>
  > {
    return {
      upsert: (changes: readonly Change[], kept) => {
        for (const { id, data } of changes) {
          this.#step('upsert');
          kept.rows.set(id, {
            value: Number(Reflect.get(Object(data), 'priceMinor')),
            isOld: false,
          });
        }
      },
      save: (cursor, kept) => {
        this.#step('save');
        kept.cursor = cursor;
      },
      restart: (kept) => {
        for (const row of kept.rows.values()) {
          this.#step('restart');
          row.isOld = true;
        }
      },
      finishRestart: (kept) => {
        for (const [id, { isOld }] of kept.rows) {
          this.#step('finishRestart');
          if (isOld) kept.rows.delete(id);
        }
      },
    };
  }

  #step(call: string): void {
    if (this.#stepsLeft-- <= 0) throw new Crash(call);
    if (this.calls.at(-1) !== call) this.calls.push(call);
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    await mine;
  }
}

function copyOf({ cursor, rows }: StoreContents): StoreContents {
  return { cursor, rows: new Map([...rows].map(([id, row]) => [id, { ...row }])) };
}
