/** Work that is done again and again until it is stopped. */
export interface Periodic {
  /** Does it now, or right after the run that is under way. */
  wake(): void;
  /** No further run begins; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/** Runs `work` every `everyMs` milliseconds after its last end, never twice at once. A failure is told and the next run comes. */
export function periodically(
  everyMs: number,
  work: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): Periodic {
  let isStopped = false;
  let isAwaited = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  const run = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      onFault(error);
    }
  };
  const begin = (): void => {
    clearTimeout(timer);
    isAwaited = false;
    running = run().finally(() => {
      running = null;
      if (isStopped) return;
      if (isAwaited) begin();
      else timer = setTimeout(begin, everyMs);
    });
  };
  timer = setTimeout(begin, everyMs);
  return {
    wake: (): void => {
      if (isStopped) return;
      if (running === null) begin();
      else isAwaited = true;
    },
    stop: async (): Promise<void> => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
