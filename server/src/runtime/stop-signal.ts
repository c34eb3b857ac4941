/** How often a process that npm started checks that npm is still running. */
const PARENT_CHECK_MS = 500;

/** The process id of npm. It is read on import, so that an early exit of npm is noticed too. */
const parent = process.ppid;

export interface StopWatcher {
  readonly stopped: Promise<string>;
  /** Stops watching, and restores the default action of the signals. */
  readonly release: () => void;
}

/**
 * Watches for SIGTERM and SIGINT. When npm started the process, it also watches for the exit of
 * npm, because npm forwards no signal.
 */
export function watchForStop(isParentWatched: boolean): StopWatcher {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setInterval(() => {
    if (isParentWatched && process.ppid !== parent) end('npm has exited');
  }, PARENT_CHECK_MS).unref();
  function release(): void {
    // Remove both listeners, so that a second signal of either kind ends the process.
    process.off('SIGTERM', end);
    process.off('SIGINT', end);
    clearInterval(timer);
  }
  function end(reason: string): void {
    release();
    resolve(reason);
  }
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  return { stopped: promise, release };
}
