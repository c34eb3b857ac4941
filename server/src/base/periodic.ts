import { endsWithin } from './ends-within.ts';

/** Longest wait for a run that does not end although it was told to: what it waits for may be frozen. */
const STOP_WAIT_MS = 5_000;

export interface Periodic {
  /** Does it now, or right after the run that is under way. */
  wake(): void;
  /** No further run begins; resolves when the one under way has ended, or after 5 s. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `everyMs` milliseconds after its last end, never twice at once. A failure is told and the next run
 * comes. The signal of `work` is aborted by `stop`: long work looks at it between its steps.
 */
export function periodically(
  everyMs: number,
  work: (signal: AbortSignal) => Promise<unknown>,
  onFault: (error: unknown) => void,
): Periodic {
  const stopping = new AbortController();
  let isAwaited = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let isGivenUp = false;
  const run = async (): Promise<void> => {
    try {
      await work(stopping.signal);
    } catch (error) {
      // What is closed under a run that was given up is no fault of it.
      if (!isGivenUp) onFault(error);
    }
  };
  const begin = (): void => {
    clearTimeout(timer);
    isAwaited = false;
    running = run().finally(() => {
      running = null;
      if (stopping.signal.aborted) return;
      if (isAwaited) begin();
      else timer = setTimeout(begin, everyMs);
    });
  };
  timer = setTimeout(begin, everyMs);
  return {
    wake: (): void => {
      if (stopping.signal.aborted) return;
      if (running === null) begin();
      else isAwaited = true;
    },
    stop: async (): Promise<void> => {
      stopping.abort();
      clearTimeout(timer);
      if (running !== null) isGivenUp = !(await endsWithin(running, STOP_WAIT_MS));
    },
  };
}
