import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { endsWithin } from '../base/ends-within.ts';
import { statement } from './statement.ts';

export interface AnnouncerOptions {
  readonly send: (messages: readonly string[]) => Promise<unknown>;
  readonly onFault: (error: unknown) => void;
}

export const sendNotifications = statement(
  'send_notifications',
  `select pg_notify('cardport', message) from unnest($1::text[]) as message`,
);

/**
 * From the end of a statement to the next: at most 50 a second, however many commits there are. Longer and a notice waits
 * for it; shorter and they cost the writers their connections and the lock under which PostgreSQL takes notifications.
 */
const SPACING_MS = 20;
/** Messages that may wait: a shop has one, so more means that the database has stood still. */
const WAITING_MAX = 10_000;
/** Longest wait of a closing database for what is still to be sent. */
const CLOSE_WAIT_MS = 2_000;
/** A database that is away fails fifty times a second: once in so long is enough to know it. */
const FAULT_EVERY_MS = 10_000;

/**
 * Tells the other nodes what was committed, soon instead of with the commit: one statement at a time, outside every
 * transaction, with all that has come meanwhile. What could not be sent, or comes when 10,000 messages wait, is dropped:
 * a notification is a hint, and whoever needs it looks at the tables by himself every few seconds.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  #waiting = new Set<string>();
  #running: Promise<void> | null = null;
  readonly #closing = new AbortController();
  #toldAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Sends `message` with the next statement; never throws. After `close` it is dropped. */
  add(message: string): void {
    if (this.#closing.signal.aborted || this.#waiting.has(message)) return;
    if (this.#waiting.size >= WAITING_MAX) {
      this.#tell(new Error(`${WAITING_MAX} notifications wait already: one is dropped`));
      return;
    }
    this.#waiting.add(message);
    this.#running ??= this.#run();
  }

  /** Sends what waits, without further pauses, and takes nothing more. Waits 2 s at most. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#running !== null) await endsWithin(this.#running, CLOSE_WAIT_MS);
    this.#waiting.clear();
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      // The commit that is told of gives its connection back first, and others may come along.
      await turn();
      const messages = [...this.#waiting];
      this.#waiting = new Set();
      try {
        await this.#options.send(messages);
      } catch (error) {
        this.#tell(error);
      }
      // Unheld: a process that has nothing else to do ends, and closes its database before.
      const options = { signal: this.#closing.signal, ref: false };
      await pause(SPACING_MS, undefined, options).catch(() => undefined);
    }
    // With the last look at what waits: a message that comes after it begins a run of its own.
    this.#running = null;
  }

  #tell(error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.#toldAtMs < FAULT_EVERY_MS) return;
    this.#toldAtMs = nowMs;
    this.#options.onFault(error);
  }
}
