import { endsWithin } from '../base/ends-within.ts';
import type { Clock } from '../base/clock.ts';
import { type Periodic, periodically } from '../base/periodic.ts';
import type { Database } from '../database/database.ts';
import type { FeedPosition } from '../inventory/cursor.ts';
import { type FeedReader, keepFeedReads } from './feed-read-rows.ts';

/** How long a read may take to bring a waiting retry forward: soon for a person, and two statements a second at most. */
const SWEEP_EVERY_MS = 500;
/** How old a kept position may be: lag is told in minutes, and each keeping writes one row a reader. */
const KEEP_EVERY_MS = 10_000;
/** Connections that are remembered between two keepings, some 200 bytes each: 10,000 that read for the first time every second. */
const READERS_MAX = 100_000;
/** Rows of one statement: some milliseconds. */
const BATCH_ROWS = 1_000;
/** Longest wait for the last flush: the database may be away. */
const CLOSE_WAIT_MS = 5_000;

export interface FeedReadsOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Hears of connections that have read, some at a time: they are alive. What it throws is tried again. */
  readonly onAlive: (readers: readonly FeedReader[], now: Date) => Promise<void>;
  /** Told once when the database does not take what was read, until it does again. */
  readonly onFault: (error: unknown) => void;
  /** 500 unless a test is in a hurry. */
  readonly sweepEveryMs?: number;
  /** 10,000 unless a test is in a hurry. */
  readonly keepEveryMs?: number;
}

/** One connection that has read since the last keeping. */
interface Reader extends FeedReader {
  /** Null: it read from the beginning. */
  position: FeedPosition | null;
  /** Null until the first sweep after the read has dated it. */
  readAt: Date | null;
  /** True until the next sweep. */
  isFresh: boolean;
}

/**
 * What connections have read, in memory between two statements: a read costs a look-up in a map. What has
 * read is alive, which `onAlive` hears (decision 0003). Where it read from is kept for the shop to see.
 */
export class FeedReads {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #onFault: FeedReadsOptions['onFault'];
  readonly #onAlive: FeedReadsOptions['onAlive'];
  readonly #jobs: readonly Periodic[];
  #readers = new Map<string, Reader>();
  #fresh: Reader[] = [];
  #isFaultTold = false;

  constructor(options: FeedReadsOptions) {
    const { sweepEveryMs = SWEEP_EVERY_MS, keepEveryMs = KEEP_EVERY_MS } = options;
    this.#db = options.db;
    this.#clock = options.clock;
    this.#onFault = options.onFault;
    this.#onAlive = options.onAlive;
    const tell = (error: unknown): void => this.#tell(error);
    this.#jobs = [
      periodically(sweepEveryMs, async () => await this.#sweep(), tell),
      periodically(keepEveryMs, async () => await this.#keep(), tell),
    ];
  }

  /** Notes a read that began at `position` (null: at the beginning). Synchronous: it stands on the idle poll's way. */
  note(shopId: string, connectionId: string, position: FeedPosition | null): void {
    const reader = this.#readers.get(connectionId);
    if (reader === undefined) {
      if (this.#readers.size >= READERS_MAX) return;
      const made = { shopId, connectionId, position, readAt: null, isFresh: true };
      this.#readers.set(connectionId, made);
      this.#fresh.push(made);
      return;
    }
    reader.position = position;
    if (reader.isFresh) return;
    reader.isFresh = true;
    this.#fresh.push(reader);
  }

  /** Flushes what was noted, within 5 s, and ends. */
  async close(): Promise<void> {
    await Promise.all(this.#jobs.map(async (job) => await job.stop()));
    const flush = async (): Promise<void> => {
      try {
        await this.#sweep();
        await this.#keep();
      } catch (error) {
        this.#tell(error);
      }
    };
    await endsWithin(flush(), CLOSE_WAIT_MS);
  }

  async #sweep(): Promise<void> {
    const fresh = this.#fresh;
    if (fresh.length === 0) return;
    this.#fresh = [];
    const now = this.#clock.now();
    for (const reader of fresh) {
      reader.isFresh = false;
      reader.readAt = now;
    }
    let done = 0;
    try {
      for (; done < fresh.length; done += BATCH_ROWS) {
        await this.#onAlive(fresh.slice(done, done + BATCH_ROWS), now);
      }
    } catch (error) {
      for (const reader of fresh.slice(done)) this.#freshen(reader);
      throw error;
    }
    this.#isFaultTold = false;
  }

  /** A sweep that failed is done again: the sign of life is not lost. */
  #freshen(reader: Reader): void {
    if (reader.isFresh) return;
    reader.isFresh = true;
    this.#fresh.push(reader);
  }

  async #keep(): Promise<void> {
    const readers = [...this.#readers.values()];
    if (readers.length === 0) return;
    this.#readers = new Map();
    let done = 0;
    try {
      for (; done < readers.length; done += BATCH_ROWS) {
        await this.#keepBatch(readers.slice(done, done + BATCH_ROWS));
      }
    } catch (error) {
      for (const reader of readers.slice(done)) this.#putBack(reader);
      throw error;
    }
    this.#isFaultTold = false;
  }

  async #keepBatch(readers: readonly Reader[]): Promise<void> {
    const now = this.#clock.now();
    await this.#db.query(keepFeedReads, [
      readers.map(({ shopId }) => shopId),
      readers.map(({ connectionId }) => connectionId),
      readers.map((reader) => reader.position?.epoch ?? null),
      readers.map((reader) => reader.position?.seq ?? null),
      readers.map((reader) => reader.readAt ?? now),
    ]);
  }

  /** A keeping that failed is done again with the next, unless the connection has read meanwhile. */
  #putBack(reader: Reader): void {
    const { size } = this.#readers;
    if (size >= READERS_MAX || this.#readers.has(reader.connectionId)) return;
    this.#readers.set(reader.connectionId, reader);
  }

  #tell(error: unknown): void {
    if (this.#isFaultTold) return;
    this.#isFaultTold = true;
    this.#onFault(error);
  }
}
