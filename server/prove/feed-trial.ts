import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Transaction } from '../src/database/database.ts';

/** A design of the change feed: how it assigns positions to a batch, and how it reads a page. */
export interface FeedDesign<Position> {
  /** Writes `value` to these objects inside a transaction that may still wait or roll back. */
  write(tx: Transaction, ids: readonly string[], value: number): Promise<void>;
  /** Reads a page of at most `limit` changes after a position, or from the start if it is null. */
  readPage(position: Position | null, limit: number): Promise<FeedTrialPage<Position>>;
  /** Returns the value of every object in the database. */
  readTruth(): Promise<ReadonlyMap<string, number>>;
  /**
   * Reads the position of the head row and the highest position of the rows in one snapshot.
   * Returns null if the design has no head row.
   */
  readHeads(): Promise<{ readonly head: number; readonly highest: number } | null>;
}

export interface FeedTrialPage<Position> {
  readonly changes: readonly { readonly id: string; readonly value: number }[];
  readonly next: Position;
}

/** The result of a trial. */
export interface FeedTrialResult {
  readonly commits: number;
  readonly objects: number;
  /** For each reader, the number of objects that differ from the database. */
  readonly lost: readonly number[];
  readonly snapshots: number;
  /** Snapshots in which the head was not the highest position. */
  readonly unevenSnapshots: number;
}

export interface FeedTrialOptions {
  readonly writers: number;
  readonly readers: number;
  readonly transactionsPerWriter: number;
  readonly ids: readonly string[];
}

/**
 * The maximum number of objects per transaction and of changes per page. These numbers are small,
 * so that many pages overlap with commits.
 */
const OBJECTS_MAX = 4;
const PAGE_LIMIT = 40;
/** The share of transactions that roll back, which leaves gaps in the positions. */
const ROLLBACK_SHARE = 0.1;

/** Thrown to roll a transaction back on purpose. */
class IntendedRollback extends Error {}

/**
 * Runs writers that pause and roll back at random, and readers that follow the feed concurrently.
 * At the end, compares each reader's objects with the database.
 */
export async function runFeedTrial<Position>(
  db: Database,
  design: FeedDesign<Position>,
  options: FeedTrialOptions,
): Promise<FeedTrialResult> {
  const state = { isWriting: true, value: 0, commits: 0, snapshots: 0, unevenSnapshots: 0 };
  const readers = Array.from({ length: options.readers }, () => new TrialReader(design));
  const following = readers.map(async (reader) => {
    while (state.isWriting) {
      await reader.step();
      await pause(Math.random() * 8);
    }
  });
  const watching = (async (): Promise<void> => {
    while (state.isWriting) {
      const heads = await design.readHeads();
      if (heads !== null) {
        state.snapshots += 1;
        if (heads.head !== heads.highest) state.unevenSnapshots += 1;
      }
      await pause(5);
    }
  })();
  const writing = Array.from({ length: options.writers }, async () => {
    for (let n = 0; n < options.transactionsPerWriter; n++) {
      if (await writeOnce(db, design, options.ids, () => ++state.value)) state.commits += 1;
    }
  });
  try {
    await Promise.all(writing);
  } finally {
    state.isWriting = false;
    await Promise.all([...following, watching]);
  }
  for (const reader of readers) await reader.readToEnd();
  const truth = await design.readTruth();
  const lost = readers.map((reader) => reader.countLost(truth));
  const { commits, snapshots, unevenSnapshots } = state;
  return { commits, objects: truth.size, lost, snapshots, unevenSnapshots };
}

async function writeOnce<Position>(
  db: Database,
  design: FeedDesign<Position>,
  ids: readonly string[],
  nextValue: () => number,
): Promise<boolean> {
  const chosen = new Set<string>();
  for (let n = 0; n < 1 + Math.random() * (OBJECTS_MAX - 1); n++) {
    const id = ids[Math.floor(Math.random() * ids.length)];
    if (id !== undefined) chosen.add(id);
  }
  const isRolledBack = Math.random() < ROLLBACK_SHARE;
  try {
    await db.transaction(async (tx) => {
      await design.write(tx, [...chosen].toSorted(), nextValue());
      // A reader of a naive design can pass a position before its transaction commits.
      await pause(Math.random() * 10);
      if (isRolledBack) throw new IntendedRollback();
    });
    return true;
  } catch (error) {
    if (error instanceof IntendedRollback) return false;
    throw error;
  }
}

/** A reader that only upserts by id, as an app does (spec 4.6). */
class TrialReader<Position> {
  readonly #design: FeedDesign<Position>;
  readonly #held = new Map<string, number>();
  #position: Position | null = null;

  constructor(design: FeedDesign<Position>) {
    this.#design = design;
  }

  async step(): Promise<number> {
    const page = await this.#design.readPage(this.#position, PAGE_LIMIT);
    for (const { id, value } of page.changes) this.#held.set(id, value);
    this.#position = page.next;
    return page.changes.length;
  }

  async readToEnd(): Promise<void> {
    while ((await this.step()) > 0);
  }

  countLost(truth: ReadonlyMap<string, number>): number {
    return [...truth].filter(([id, value]) => this.#held.get(id) !== value).length;
  }
}
