import { endsWithin } from './ends-within.ts';

/**
 * Longest wait for a run that does not end after it was aborted: what it waits for may be frozen.
 */
const STOP_WAIT_MS = 5_000;

export interface Periodic {
  /** Starts a run now, or right after the current one. */
  wake(): void;
  /** Starts no further run; resolves when the current one has ended, or after 5 s. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `everyMs` milliseconds after its last end, never concurrently. A failure is
 * reported and the next run follows. `stop` aborts the signal of `work`; long work checks it
 * between its steps.
 */
export function periodically(
  everyMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onFault: (error: unknown) => void,
): Periodic {
  const stopping = new AbortController();
  let isRerunRequested = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let hasTimedOut = false;
  const run = async (): Promise<void> => {
    try {
      await work(stopping.signal);
    } catch (error) {
      // After `stop` stopped waiting, an error only means that something was closed during the run.
      if (!hasTimedOut) onFault(error);
    }
  };
  const start = (): void => {
    clearTimeout(timer);
    isRerunRequested = false;
    running = run().finally(() => {
      running = null;
      if (stopping.signal.aborted) return;
      if (isRerunRequested) start();
      else timer = setTimeout(start, everyMs);
    });
  };
  timer = setTimeout(start, everyMs);
  return {
    wake: (): void => {
      if (stopping.signal.aborted) return;
      if (running === null) start();
      else isRerunRequested = true;
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      clearTimeout(timer);
      if (running !== null) hasTimedOut = !(await endsWithin(running, STOP_WAIT_MS));
    },
  };
}
