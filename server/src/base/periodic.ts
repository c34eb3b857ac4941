import { endsWithin } from './ends-within.ts';

/** `stop` gives up after this time, because an aborted run may be stuck. */
const STOP_WAIT_MS = 5_000;

export interface PeriodicWork {
  /** Starts a run now, or right after the current run. */
  wake(): void;
  /** Resolves when the current run has ended, or after 5 s. */
  stop(): Promise<void>;
}

/**
 * Each run starts `everyMs` milliseconds after the end of the previous run, even a failed one.
 * `stop` aborts the signal of `work`; long work must check it between its steps.
 */
export function runPeriodically(
  everyMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onFault: (error: unknown) => void,
): PeriodicWork {
  const stopping = new AbortController();
  let isRerunRequested = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let hasTimedOut = false;
  const run = async (): Promise<void> => {
    try {
      await work(stopping.signal);
    } catch (error) {
      // If `stop` has given up, an error only means that something was closed during the run.
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
