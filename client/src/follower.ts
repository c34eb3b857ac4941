import { CardportError } from './errors.ts';
import { backoffAfterFailure } from './follower-backoff.ts';
import type { Signal } from './platform.ts';
import { wait } from './retry.ts';
import type { SyncResult } from './sync-target.ts';
import { reportError } from './report-error.ts';
import { untilAborted } from './until-aborted.ts';

export interface FollowOptions {
  /** Milliseconds between polls, ±10 %; 300,000 by default. Polling only covers lost notices. */
  readonly pollEveryMs?: number | undefined;
  /**
   * The first sync starts at a random moment within this time, or at `wake()`. Defaults to 0. Set
   * it to about 60,000 in a process that follows many shops, so that their syncs do not start
   * together.
   */
  readonly startWithinMs?: number | undefined;
  /** The maximum number of records per page, 1 to 1,000. */
  readonly limit?: number | undefined;
  /** Aborting the signal has the same effect as `stop()`. */
  readonly signal?: Signal | undefined;
  /**
   * Called after each sync. The next sync waits for the returned promise unless `stop()` was
   * called. If the function throws, the error is passed to `onError`.
   */
  readonly onSynced?: ((result: SyncResult) => unknown) | undefined;
  /**
   * Called, but not awaited, for each failure. Only one with `error.needsApproval` ends the
   * follower. Without this function, failures go to the console; so do errors that it throws.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
}

/** Keeps a target up to date until it is stopped. */
export interface Follower {
  /** Call this when something may have changed. Starts a sync now, or after the running sync. */
  wake(): void;
  /**
   * Aborts the running sync; pages that it has already saved are kept. Resolves when no sync is
   * running. You may await it in `onSynced` and `onError`, but not in a function of the target.
   */
  stop(): Promise<void>;
  /** Resolves with the reason when the follower ends; never rejects. */
  readonly ended: Promise<'stopped' | 'approval_needed'>;
}

/** Five minutes, which is an acceptable delay for a change if its notice was lost. */
const POLL_EVERY_MS = 300_000;

/** The longest delay that a timer supports, about 24 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Runs `sync` now, after every `wake()` and every `pollEveryMs`, never twice at the same time. */
export function follow(
  sync: (signal: Signal) => Promise<SyncResult>,
  options: FollowOptions,
): Follower {
  const { pollEveryMs = POLL_EVERY_MS, startWithinMs = 0, onError = logFailure } = options;
  if (!(pollEveryMs > 0 && pollEveryMs <= TIMER_MS_MAX)) {
    throw new RangeError(`pollEveryMs must be between 1 and ${TIMER_MS_MAX}, not ${pollEveryMs}`);
  }
  if (!(startWithinMs >= 0 && startWithinMs <= TIMER_MS_MAX)) {
    const range = `between 0 and ${TIMER_MS_MAX}`;
    throw new RangeError(`startWithinMs must be ${range}, not ${startWithinMs}`);
  }
  const ending = new AbortController();
  const waker = createWaker();
  const stop = (): void => {
    ending.abort();
    waker.wake();
  };
  options.signal?.addEventListener('abort', stop);
  if (options.signal?.aborted === true) stop();

  async function notifySynced(result: SyncResult): Promise<void> {
    const notifying = (async (): Promise<unknown> => await options.onSynced?.(result))();
    // A caller that awaits `stop()` in onSynced waits for the follower, so the follower must not
    // wait for onSynced. A later failure of onSynced must still be reported.
    notifying.catch((error: unknown) => {
      if (ending.signal.aborted && error !== ending.signal.reason) reportError(onError, error);
    });
    await untilAborted(notifying, ending.signal);
  }

  async function run(): Promise<'stopped' | 'approval_needed'> {
    if (startWithinMs > 0) await waker.wait(startWithinMs * Math.random());
    let failures = 0;
    while (!ending.signal.aborted) {
      waker.reset();
      try {
        const result = await sync(ending.signal);
        failures = 0;
        await notifySynced(result);
        if (result.isCaughtUp) await waker.wait(pollMs(pollEveryMs));
      } catch (error) {
        if (error === ending.signal.reason) break;
        failures++;
        reportError(onError, error);
        if (error instanceof CardportError && error.needsApproval) return 'approval_needed';
        const { minimumMs, totalMs } = backoffAfterFailure(error, failures, pollEveryMs);
        await waitOrEnd(minimumMs, ending.signal);
        await waker.wait(totalMs - minimumMs);
      }
    }
    return 'stopped';
  }

  const ended = run().finally(() => options.signal?.removeEventListener('abort', stop));
  return {
    wake: () => waker.wake(),
    stop: async () => {
      stop();
      await ended;
    },
    ended,
  };
}

function logFailure(error: unknown): void {
  console.error('cardport: the sync failed:', error);
}

function pollMs(pollEveryMs: number): number {
  return Math.min(pollEveryMs * (0.9 + 0.2 * Math.random()), TIMER_MS_MAX);
}

async function waitOrEnd(ms: number, signal: Signal): Promise<void> {
  try {
    await wait(ms, signal);
  } catch (error) {
    if (error !== signal.reason) throw error;
  }
}

/** Ends a wait early. A wake before the wait begins is not lost. */
interface Waker {
  wake(): void;
  reset(): void;
  /** Resolves on a wake or after `ms`. Resolves immediately if there was a wake since `reset()`. */
  wait(ms: number): Promise<void>;
}

function createWaker(): Waker {
  let wasWoken = false;
  let onWake: (() => void) | null = null;
  return {
    wake: () => {
      wasWoken = true;
      onWake?.();
    },
    reset: () => {
      wasWoken = false;
    },
    wait: async (ms) => {
      if (wasWoken) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        onWake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      onWake = null;
    },
  };
}
