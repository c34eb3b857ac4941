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
 * Pause between statements: at most 50 per second for any number of commits. A longer pause delays
 * deliveries; a shorter one takes connections, and PostgreSQL's queue lock, from writers.
 */
const SPACING_MS = 20;
/** There is one message per shop, so more means that the database has stopped responding. */
const WAITING_MAX = 10_000;
/** For the remaining messages. */
const CLOSE_WAIT_MS = 2_000;
/** While the database is away, sending fails fifty times a second. */
const FAULT_EVERY_MS = 10_000;

/**
 * Notifies the other nodes shortly after a commit instead of with it: one statement at a time,
 * outside every transaction, with all messages since the last. A message that could not be sent, or
 * that comes while 10,000 wait, is dropped: notifications are hints, and their consumers also poll
 * the tables every few seconds.
 */
export class Announcer {
  readonly #options: AnnouncerOptions;
  #waiting = new Set<string>();
  #running: Promise<void> | null = null;
  readonly #closing = new AbortController();
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
  }

  /** Never throws. After `close` the message is dropped. */
  add(message: string): void {
    if (this.#closing.signal.aborted || this.#waiting.has(message)) return;
    if (this.#waiting.size >= WAITING_MAX) {
      this.#reportFault(
        new Error(`${WAITING_MAX} notifications are already waiting; dropping one`),
      );
      return;
    }
    this.#waiting.add(message);
    this.#running ??= this.#run();
  }

  /** Sends what waits, without further pauses. Takes 2 s at most. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#running !== null) await endsWithin(this.#running, CLOSE_WAIT_MS);
    this.#waiting.clear();
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      // Lets the commit return its connection first, and other messages join.
      await turn();
      const messages = [...this.#waiting];
      this.#waiting = new Set();
      try {
        await this.#options.send(messages);
      } catch (error) {
        this.#reportFault(error);
      }
      // A process with nothing else to do may end.
      const options = { signal: this.#closing.signal, ref: false };
      await pause(SPACING_MS, undefined, options).catch(() => undefined);
    }
    // No `await` since the last check, so a later message starts a new run.
    this.#running = null;
  }

  #reportFault(error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.#reportedAtMs < FAULT_EVERY_MS) return;
    this.#reportedAtMs = nowMs;
    this.#options.onFault(error);
  }
}
