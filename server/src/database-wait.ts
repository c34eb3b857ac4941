import { setTimeout as pause } from 'node:timers/promises';
import { endClient } from './database/end-client.ts';
import type { Engine } from './database/engine.ts';
import { asError, isAway } from './database/fault.ts';
import { PrimaryClient } from './database/primary-client.ts';
import { watchForEnd } from './stop-signal.ts';

/** A process was told to stop while it waited for its database. */
export class StoppedWhileWaiting extends Error {
  override name = 'StoppedWhileWaiting';
}

export interface DatabaseWaitOptions {
  readonly engine: Engine;
  /** Longest wait in all; 0 for none. */
  readonly seconds: number;
  readonly isStartedByNpm: boolean;
  /** Told once when the wait begins and once when it is over. */
  readonly tell: (sentence: string) => void;
}

/** Pauses between attempts to connect; each failure doubles it. */
const PAUSE_MS = { first: 100, max: 1_000 };

/** Lets the steps of a start wait for a database that is away, so that no supervisor gives up on the process. */
export class DatabaseWait {
  readonly #options: DatabaseWaitOptions;
  #endsAtMs: number | null = null;

  constructor(options: DatabaseWaitOptions) {
    this.#options = options;
  }

  /**
   * Runs a step; while the database is away it waits, and runs the step again.
   *
   * @throws StoppedWhileWaiting; the step's own error when it does not pass by itself, or when the time is over.
   */
  async run<T>(step: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await step();
      } catch (error) {
        if (!this.#mayWait(error)) throw error;
        await this.#untilItAnswers(error);
      }
    }
  }

  #mayWait(error: unknown): boolean {
    if (!isAway(error)) return false;
    this.#endsAtMs ??= performance.now() + this.#options.seconds * 1_000;
    return performance.now() < this.#endsAtMs;
  }

  /** Connects until it succeeds; here a signal ends the process in an orderly way, also one that is process 1. */
  async #untilItAnswers(failure: unknown): Promise<void> {
    const { engine, seconds, isStartedByNpm, tell } = this.#options;
    const { ended, release } = watchForEnd(isStartedByNpm);
    tell(`waiting up to ${seconds} s for the database: ${messageOf(failure)}`);
    const stopped = ended.then((reason): never => {
      throw new StoppedWhileWaiting(`${reason}: stopped while waiting for the database`);
    });
    stopped.catch(() => {
      // Told by the race that it ends.
    });
    try {
      for (let waitMs = PAUSE_MS.first; ; waitMs = Math.min(waitMs * 2, PAUSE_MS.max)) {
        const client = new PrimaryClient(engine.clientConfig());
        try {
          await Promise.race([client.connect(), stopped]);
          await endClient(client);
          tell('the database answers');
          return;
        } catch (error) {
          client.connection.stream.destroy();
          void endClient(client);
          if (error instanceof StoppedWhileWaiting || !this.#mayWait(error)) throw error;
        }
        await Promise.race([pause(waitMs), stopped]);
      }
    } finally {
      release();
    }
  }
}

function messageOf(error: unknown): string {
  const { message, name } = asError(error);
  // An attempt on all addresses of a name has no message, only a code.
  return message === '' ? String(Reflect.get(Object(error), 'code') ?? name) : message;
}
