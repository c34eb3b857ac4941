import { setTimeout as pause } from 'node:timers/promises';
import { describeError } from '../base/describe-error.ts';
import { isDatabaseUnreachable } from './errors.ts';

export interface DatabaseWaitOptions {
  /** From the start of the first attempt to the start of the last; 0 for no wait. */
  readonly seconds: number;
  /** Called once when an outage begins, and once when the step then succeeds. */
  readonly onProgress: (sentence: string) => void;
}

/** Between attempts; each failure doubles it. */
const PAUSE_MS = { first: 100, max: 1_000 };

/**
 * Runs a step of the start. While the database is away it waits and retries, so that no supervisor
 * gives up on the process. The connection timeout limits each attempt.
 * @throws the step's own error when it is permanent, or when the time is over.
 */
export async function waitForDatabase<T>(
  step: () => Promise<T>,
  { seconds, onProgress }: DatabaseWaitOptions,
): Promise<T> {
  const endMs = performance.now() + seconds * 1_000;
  let pauseMs = 0;
  for (;;) {
    try {
      const result = await step();
      if (pauseMs > 0) onProgress('the database responds');
      return result;
    } catch (error) {
      const leftMs = endMs - performance.now();
      if (!isDatabaseUnreachable(error) || leftMs <= 0) throw error;
      if (pauseMs === 0) {
        onProgress(`waiting up to ${seconds} s for the database: ${describeError(error)}`);
      }
      pauseMs = Math.min(pauseMs * 2 || PAUSE_MS.first, PAUSE_MS.max);
      await pause(Math.min(pauseMs, leftMs));
    }
  }
}
