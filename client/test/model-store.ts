import type { StoreTarget, SyncStep, TransactionTarget } from '../src/sync-target.ts';
import type { Change } from '../src/types.ts';

/** The process ends here. */
export class Crash extends Error {
  override name = 'Crash';
}

/** What a store keeps. */
export interface Kept {
  cursor: string | null;
  readonly rows: Map<string, { value: number; isOld: boolean }>;
}

/** An app's database in its simplest form, whose process can be ended at any step. */
export class ModelStore {
  kept: Kept = { cursor: null, rows: new Map() };
  /** Names of the functions called, in order. */
  readonly calls: string[] = [];
  #stepsLeft = Infinity;
  #turn: Promise<unknown> = Promise.resolve();

  /** The process ends at the step after so many more. */
  crashAfter(steps: number): void {
    this.#stepsLeft = steps;
  }

  /** What a reader of the store sees. */
  state(): ReadonlyMap<string, number> {
    return new Map([...this.kept.rows].map(([id, { value }]) => [id, value]));
  }

  /** Kept at once, function by function: records first, then the cursor. */
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

  /** A page at a time, as a whole or not at all; transactions come one after the other. */
  wholeTarget(): TransactionTarget<Kept> {
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

  /** The same for several processes. */
  sharedTarget(): TransactionTarget<Kept> {
    return { ...this.wholeTarget(), loadLocked: (kept) => kept.cursor };
  }

  /** A step at a time in one function, without an await: as SQLite keeps it. */
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

  /** The same for several processes. */
  sharedStoreTarget(): StoreTarget {
    const own = this.storeTarget();
    return {
      load: () => own.load(),
      store: (step) => (step.before === this.kept.cursor ? own.store(step) : false),
    };
  }

  #keep({ changes, cursor, isRestart, isRestartDone }: SyncStep, kept: Kept): void {
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
    Pick<TransactionTarget<Kept>, 'upsert' | 'save' | 'restart' | 'finishRestart'>
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

function copyOf({ cursor, rows }: Kept): Kept {
  return { cursor, rows: new Map([...rows].map(([id, row]) => [id, { ...row }])) };
}
