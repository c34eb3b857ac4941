import { CardportError } from './errors.ts';
import { restAfterFailure } from './follower-rest.ts';
import type { Signal } from './platform.ts';
import { wait } from './retry.ts';
import type { SyncResult } from './sync-target.ts';
import { tell } from './tell.ts';
import { untilAborted } from './until-aborted.ts';

/** How a target is kept up to date. */
export interface FollowOptions {
  /**
   * Milliseconds between two syncs without a notice, ±10 %. 300,000 unless given: notices do the work, polls are for what
   * becomes of a lost one.
   */
  readonly pollEveryMs?: number | undefined;
  /**
   * The first sync begins within so many milliseconds, at random, or when `wake()` is called; 0 unless given. For a process
   * that follows many shops: 60,000 has them not all begin at once.
   */
  readonly startWithinMs?: number | undefined;
  /** Records of a page, 1 to 1,000. */
  readonly limit?: number | undefined;
  /** Aborting it is `stop()`. */
  readonly signal?: Signal | undefined;
  /** Told after each sync, and waited for, until `stop()` is called. What it throws goes to `onError`. */
  readonly onSynced?: ((result: SyncResult) => unknown) | undefined;
  /**
   * Told of each failure. The follower goes on by itself, unless `error.needsApproval`: then it has ended. Without it
   * failures are written to the console. It is not waited for; what it throws itself is written to the console.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
}

/** Keeps a target up to date until it is stopped. */
export interface Follower {
  /** Something may have changed (a notice came): syncs now, or once more after the sync that is under way. */
  wake(): void;
  /**
   * Ends the sync that is under way, saved up to its last page, and waits until none runs any more. It may be called and
   * waited for in `onSynced` and `onError`, which are not waited for then; not within a function of the target.
   */
  stop(): Promise<void>;
  /** Why it has ended; never rejects. */
  readonly ended: Promise<'stopped' | 'approval_needed'>;
}

/** Five minutes: as long as anybody wants to miss a change whose notice was lost. */
const POLL_EVERY_MS = 300_000;

/** Timers take no longer time: some 24 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Follows: `sync` now, after every wake, and every `pollEveryMs`; never two at once. */
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
  const bell = makeBell();
  const stop = (): void => {
    ending.abort();
    bell.ring();
  };
  options.signal?.addEventListener('abort', stop);
  if (options.signal?.aborted === true) stop();

  async function tellSynced(result: SyncResult): Promise<void> {
    const telling = (async (): Promise<unknown> => await options.onSynced?.(result))();
    // Who stops within onSynced waits for the follower, which must not wait for him; nor must his failure vanish.
    telling.catch((error: unknown) => {
      if (ending.signal.aborted && error !== ending.signal.reason) tell(onError, error);
    });
    await untilAborted(telling, ending.signal);
  }

  async function run(): Promise<'stopped' | 'approval_needed'> {
    if (startWithinMs > 0) await bell.wait(startWithinMs * Math.random());
    let failures = 0;
    while (!ending.signal.aborted) {
      bell.silence();
      try {
        const result = await sync(ending.signal);
        failures = 0;
        await tellSynced(result);
        if (result.isCaughtUp) await bell.wait(pollMs(pollEveryMs));
      } catch (error) {
        if (error === ending.signal.reason) break;
        failures++;
        tell(onError, error);
        if (error instanceof CardportError && error.needsApproval) return 'approval_needed';
        const { paceMs, totalMs } = restAfterFailure(error, failures, pollEveryMs);
        await waitOrEnd(paceMs, ending.signal);
        await bell.wait(totalMs - paceMs);
      }
    }
    return 'stopped';
  }

  const ended = run().finally(() => options.signal?.removeEventListener('abort', stop));
  return {
    wake: () => bell.ring(),
    stop: async () => {
      stop();
      await ended;
    },
    ended,
  };
}

function logFailure(error: unknown): void {
  console.error('cardport sync:', error);
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

/** Something to wait for that somebody else may bring about, before the wait begins or during it. */
interface Bell {
  ring(): void;
  silence(): void;
  /** Resolves when the bell rings, at once when it has rung since it was silenced, and after `ms`. */
  wait(ms: number): Promise<void>;
}

function makeBell(): Bell {
  let hasRung = false;
  let heard: (() => void) | null = null;
  return {
    ring: () => {
      hasRung = true;
      heard?.();
    },
    silence: () => {
      hasRung = false;
    },
    wait: async (ms) => {
      if (hasRung) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      heard = null;
    },
  };
}
