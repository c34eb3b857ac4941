import { setTimeout as pause } from 'node:timers/promises';
import { describeError } from '../base/describe-error.ts';
import { isDatabaseUnreachable } from './errors.ts';

export interface DatabaseWaitOptions {
  /** The maximum time for all attempts of a step; 0 disables retries. */
  readonly seconds: number;
  /** Called once when an outage begins, and once when a later attempt succeeds. */
  readonly onProgress: (sentence: string) => void;
}

const PAUSE_MS = { first: 100, max: 1_000 };

/**
 * Retries a step of the start-up while the database is unavailable, so that no process supervisor
 * gives up on this process. The connection timeout limits each attempt.
 * @throws the step's error when it is permanent, or when `seconds` have passed.
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
