import { endsWithin } from '../base/ends-within.ts';
import type { Clock } from '../base/clock.ts';
import { type PeriodicWork, runPeriodically } from '../base/periodic.ts';
import type { Database } from '../database/database.ts';
import type { FeedPosition } from '../inventory/cursor.ts';
import { type FeedReader, upsertFeedReads, upsertFeedReadsOfShop } from './feed-read-rows.ts';

const NOTIFY_EVERY_MS = 500;
/** The interval between writes of positions. The console shows lag in minutes. */
const FLUSH_EVERY_MS = 10_000;
/** The maximum number of readers between two flushes, about 200 bytes each. */
const READERS_MAX = 100_000;
/** The number of rows per statement. Writing them takes a few milliseconds. */
const BATCH_ROWS = 1_000;
/** The maximum wait for the last flush. The database may be unavailable. */
const CLOSE_WAIT_MS = 5_000;

export interface FeedReadsOptions {
  readonly db: Database;
  readonly clock: Clock;
  /** Called with batches of connections that have read the feed. Called again if it throws. */
  readonly onReads: (readers: readonly FeedReader[], now: Date) => Promise<void>;
  /** Called once for each series of consecutive failures. */
  readonly onFault: (error: unknown) => void;
  readonly notifyEveryMs?: number;
  readonly flushEveryMs?: number;
}

interface Reader extends FeedReader {
  /** Null if the newest read started at the beginning of the feed. */
  position: FeedPosition | null;
  /** Null until the first notification after the read. */
  readAt: Date | null;
  /** True until the next notification. */
  isFresh: boolean;
}

/**
 * Collects the feed reads of connections in memory, so that a read costs one map look-up. A read
 * shows that the app works again, so `onReads` can retry its webhook early (decision 0003). The
 * position is stored, so that the shop can see how far the app has read.
 */
export class FeedReads {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #onFault: FeedReadsOptions['onFault'];
  readonly #onReads: FeedReadsOptions['onReads'];
  readonly #jobs: readonly PeriodicWork[];
  #readers = new Map<string, Reader>();
  #fresh: Reader[] = [];
  #isFaultReported = false;

  constructor(options: FeedReadsOptions) {
    const { notifyEveryMs = NOTIFY_EVERY_MS, flushEveryMs = FLUSH_EVERY_MS } = options;
    this.#db = options.db;
    this.#clock = options.clock;
    this.#onFault = options.onFault;
    this.#onReads = options.onReads;
    const reportFault = (error: unknown): void => this.#reportFault(error);
    this.#jobs = [
      runPeriodically(notifyEveryMs, async () => await this.#notify(), reportFault),
      runPeriodically(flushEveryMs, async () => await this.#flush(), reportFault),
    ];
  }

  /** Records a read. `position` is null for a read from the beginning. */
  record(shopId: string, connectionId: string, position: FeedPosition | null): void {
    const reader = this.#readers.get(connectionId);
    if (reader === undefined) {
      if (this.#readers.size >= READERS_MAX) return;
      const newReader = { shopId, connectionId, position, readAt: null, isFresh: true };
      this.#readers.set(connectionId, newReader);
      this.#fresh.push(newReader);
      return;
    }
    reader.position = position;
    if (reader.isFresh) return;
    reader.isFresh = true;
    this.#fresh.push(reader);
  }

  async close(): Promise<void> {
    await Promise.all(this.#jobs.map(async (job) => await job.stop()));
    const flush = async (): Promise<void> => {
      try {
        await this.#notify();
        await this.#flush();
      } catch (error) {
        this.#reportFault(error);
      }
    };
    await endsWithin(flush(), CLOSE_WAIT_MS);
  }

  async #notify(): Promise<void> {
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
        await this.#onReads(fresh.slice(done, done + BATCH_ROWS), now);
      }
    } catch (error) {
      for (const reader of fresh.slice(done)) this.#requeueFresh(reader);
      throw error;
    }
    this.#isFaultReported = false;
  }

  #requeueFresh(reader: Reader): void {
    if (reader.isFresh) return;
    reader.isFresh = true;
    this.#fresh.push(reader);
  }

  async #flush(): Promise<void> {
    const readers = [...this.#readers.values()];
    if (readers.length === 0) return;
    this.#readers = new Map();
    let done = 0;
    try {
      for (; done < readers.length; done += BATCH_ROWS) {
        await this.#flushBatch(readers.slice(done, done + BATCH_ROWS));
      }
    } catch (error) {
      for (const reader of readers.slice(done)) this.#requeue(reader);
      throw error;
    }
    this.#isFaultReported = false;
  }

  async #flushBatch(readers: readonly Reader[]): Promise<void> {
    const now = this.#clock.now();
    if (!(await this.#db.isDistributed())) {
      await this.#db.query(upsertFeedReads, columnsOf(readers, now));
      return;
    }
    for (const [shopId, own] of Map.groupBy(readers, (reader) => reader.shopId)) {
      await this.#db.query(upsertFeedReadsOfShop, [...columnsOf(own, now), shopId]);
    }
  }

  /** Keeps a reader for the next flush after a flush has failed, unless its app has read since. */
  #requeue(reader: Reader): void {
    const { size } = this.#readers;
    if (size >= READERS_MAX || this.#readers.has(reader.connectionId)) return;
    this.#readers.set(reader.connectionId, reader);
  }

  #reportFault(error: unknown): void {
    if (this.#isFaultReported) return;
    this.#isFaultReported = true;
    this.#onFault(error);
  }
}

function columnsOf(readers: readonly Reader[], now: Date): unknown[][] {
  return [
    readers.map(({ shopId }) => shopId),
    readers.map(({ connectionId }) => connectionId),
    readers.map((reader) => reader.position?.epoch ?? null),
    readers.map((reader) => reader.position?.seq ?? null),
    readers.map((reader) => reader.readAt ?? now),
  ];
}
