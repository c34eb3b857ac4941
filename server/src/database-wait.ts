import { setTimeout as pause } from 'node:timers/promises';
import { wordsOf } from './base/error-words.ts';
import { endClient } from './database/end-client.ts';
import type { Engine } from './database/engine.ts';
import { isAway } from './database/fault.ts';
import { PrimaryClient } from './database/primary-client.ts';

export interface DatabaseWaitOptions {
  readonly engine: Engine;
  readonly seconds: number;
  /** Told once when an outage begins, and once when a step has succeeded after it. */
  readonly tell: (sentence: string) => void;
}

/** Pauses between attempts; each failure doubles it. */
const PAUSE_MS = { first: 100, max: 1_000 };
/** Time for the last attempt, which may begin just before the wait is over. */
const LAST_ATTEMPT_MS = 500;

/** Lets the steps of a start wait for a database that is away, so that no supervisor gives up on the process. */
export class DatabaseWait {
  readonly #options: DatabaseWaitOptions;
  #answers = false;
  /** When the outage began (`performance.now`), or null. */
  #awaySinceMs: number | null = null;
  /** What it was last: an attempt that is cut short says less. */
  #failure: unknown = null;
  #isTold = false;
  #pauseMs = PAUSE_MS.first;

  constructor(options: DatabaseWaitOptions) {
    this.#options = options;
  }

  /**
   * Runs a step; while the database is away it waits, and runs the step again.
   *
   * @throws the step's own error when it does not pass by itself, or when the time is over.
   */
  async run<T>(step: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        if (!this.#answers) await this.#connect();
        const result = await step();
        this.#stepSucceeded();
        return result;
      } catch (error) {
        this.#answers = false;
        if (!isAway(error)) throw error;
        this.#failure = error;
        this.#awaySinceMs ??= performance.now();
        const leftMs = this.#leftMs();
        if (leftMs <= 0) throw error;
        this.#tellOnce(error);
        await pause(Math.min(this.#pauseMs, leftMs));
        this.#pauseMs = Math.min(this.#pauseMs * 2, PAUSE_MS.max);
      }
    }
  }

  async #connect(): Promise<void> {
    const { engine, seconds } = this.#options;
    const startedMs = performance.now();
    const config = engine.clientConfig();
    const client = new PrimaryClient(config);
    const over = new AbortController();
    try {
      const attempts: Promise<unknown>[] = [client.connect()];
      if (seconds > 0) {
        const limitMs = Math.max(this.#leftMs(), LAST_ATTEMPT_MS);
        const silence = this.#failure ?? config.hosts?.silence() ?? new Error('timeout expired');
        attempts.push(rejectAfter(limitMs, silence, over.signal));
      }
      await Promise.race(attempts);
      this.#answers = true;
      await endClient(client);
    } catch (error) {
      this.#awaySinceMs ??= startedMs;
      client.connection.stream.destroy();
      void endClient(client);
      throw error;
    } finally {
      over.abort();
    }
  }

  #leftMs(): number {
    const awayMs = this.#awaySinceMs === null ? 0 : performance.now() - this.#awaySinceMs;
    return this.#options.seconds * 1_000 - awayMs;
  }

  #tellOnce(error: unknown): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const { seconds, tell } = this.#options;
    tell(`waiting up to ${seconds} s for the database: ${wordsOf(error)}`);
  }

  #stepSucceeded(): void {
    if (this.#isTold) this.#options.tell('the database answers');
    this.#answers = true;
    this.#awaySinceMs = null;
    this.#failure = null;
    this.#isTold = false;
    this.#pauseMs = PAUSE_MS.first;
  }
}

/** Rejects with `reason` after `ms`, unless `signal` is aborted before. */
async function rejectAfter(ms: number, reason: unknown, signal: AbortSignal): Promise<never> {
  await pause(ms, undefined, { signal });
  throw reason;
}
