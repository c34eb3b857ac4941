import { CardportError } from './errors.ts';
import type { Signal } from './platform.ts';
import { wait } from './retry.ts';
import type { SyncResult } from './sync-target.ts';

/** How a target is kept up to date. */
export interface FollowOptions {
  /**
   * Milliseconds between two syncs without a notice, ±10 %. 300,000 unless given: notices do the work, polls are for what
   * becomes of a lost one.
   */
  readonly pollEveryMs?: number | undefined;
  /** Records of a page, 1 to 1,000. */
  readonly limit?: number | undefined;
  /** Aborting it is `stop()`. */
  readonly signal?: Signal | undefined;
  /** Told after each sync. What it throws goes to `onError`. */
  readonly onSynced?: ((result: SyncResult) => unknown) | undefined;
  /**
   * Told of each failure. The follower goes on by itself, unless `error.needsApproval`: then it has ended. Without it
   * failures are written to the console.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Keeps a target up to date until it is stopped. */
export interface Follower {
  /** Something may have changed (a notice came): syncs now, or once more after the sync that is under way. */
  wake(): void;
  /** Ends the sync that is under way, saved up to its last page, and waits until nothing runs any more. */
  stop(): Promise<void>;
  /** Why it has ended; never rejects. */
  readonly ended: Promise<'stopped' | 'approval_needed'>;
}

/** Five minutes: as long as anybody wants to miss a change whose notice was lost. */
const POLL_EVERY_MS = 300_000;

/** Timers take no longer time: some 24 days. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The wait after the first failure, doubled for each further one up to `pollEveryMs`. The calls have been retried by then. */
const FIRST_FAILURE_WAIT_MS = 5_000;

/** A notice is no reason to try sooner than so after a failure: notices may come by the dozen. */
const FAILURE_PACE_MS = 1_000;

/** Follows: `sync` now, after every wake, and every `pollEveryMs`; never two at once. */
export function follow(
  sync: (signal: Signal) => Promise<SyncResult>,
  options: FollowOptions,
): Follower {
  const pollEveryMs = options.pollEveryMs ?? POLL_EVERY_MS;
  if (!(pollEveryMs > 0 && pollEveryMs <= TIMER_MS_MAX)) {
    throw new RangeError(`pollEveryMs must be between 1 and ${TIMER_MS_MAX}, not ${pollEveryMs}`);
  }
  const onError = options.onError ?? ((error: unknown) => console.error('cardport sync:', error));
  const ending = new AbortController();
  const bell = makeBell();
  const stop = (): void => {
    ending.abort();
    bell.ring();
  };
  options.signal?.addEventListener('abort', stop);
  if (options.signal?.aborted === true) stop();

  async function run(): Promise<'stopped' | 'approval_needed'> {
    let failures = 0;
    while (!ending.signal.aborted) {
      bell.silence();
      try {
        const result = await sync(ending.signal);
        failures = 0;
        await options.onSynced?.(result);
        if (!result.isCaughtUp) continue;
      } catch (error) {
        if (error === ending.signal.reason) break;
        failures++;
        onError(error);
        if (error instanceof CardportError && error.needsApproval) return 'approval_needed';
        await waitOrEnd(Math.min(FAILURE_PACE_MS, pollEveryMs), ending.signal);
      }
      await bell.wait(restMs(failures, pollEveryMs));
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

function restMs(failures: number, pollEveryMs: number): number {
  if (failures === 0) return Math.min(pollEveryMs * (0.9 + 0.2 * Math.random()), TIMER_MS_MAX);
  const boundMs = Math.min(pollEveryMs, FIRST_FAILURE_WAIT_MS * 2 ** (failures - 1));
  return boundMs * (0.5 + 0.5 * Math.random());
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
