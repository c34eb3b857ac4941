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

// At most 100 `notify` statements per second. A longer pause would delay webhook deliveries; a
// shorter one would take connections and PostgreSQL's notification lock from writers.
const SPACING_MS = 10;
// At most one message per topic and shop waits, so a longer queue means that the database does not
// respond.
const WAITING_MAX = 10_000;
/** How long `close` waits before it drops the waiting messages. The database may never respond. */
const CLOSE_WAIT_MS = 2_000;
// The minimum interval between reports of faults. While the database is unavailable, sending fails
// a hundred times a second.
const FAULT_EVERY_MS = 10_000;

/**
 * Notifies the other nodes shortly after a commit, with one statement for all messages since the
 * previous one. A message is dropped if it cannot be sent, or if 10,000 are waiting. That is safe
 * because notifications are hints: their consumers also poll the tables every few seconds.
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

  /** Sends the waiting messages without further pauses. Takes 2 s at most. */
  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#running !== null) await endsWithin(this.#running, CLOSE_WAIT_MS);
    this.#waiting.clear();
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      // Let the transaction return its connection first. The batch may grow until then.
      await turn();
      const messages = [...this.#waiting];
      this.#waiting = new Set();
      try {
        await this.#options.send(messages);
      } catch (error) {
        this.#reportFault(error);
      }
      // `ref: false` lets a process that has nothing else to do exit during the pause.
      const options = { signal: this.#closing.signal, ref: false };
      await pause(SPACING_MS, undefined, options).catch(() => undefined);
    }
    // There was no `await` since the last check, so no message can have been added in between.
    this.#running = null;
  }

  #reportFault(error: unknown): void {
    const nowMs = performance.now();
    if (nowMs - this.#reportedAtMs < FAULT_EVERY_MS) return;
    this.#reportedAtMs = nowMs;
    this.#options.onFault(error);
  }
}
