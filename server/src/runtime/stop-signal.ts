/** How often a process that npm started checks that npm is still running. */
const PARENT_CHECK_MS = 500;

/** Read on import, before anything is awaited, so that an early end of npm is noticed too. */
const parent = process.ppid;

export interface StopWatcher {
  readonly stopped: Promise<string>;
  /** Signals get their default action again. */
  readonly release: () => void;
}

/**
 * Watches for SIGTERM, SIGINT and, when npm started the process, for the end of npm, which forwards
 * no signal.
 */
export function watchForStop(isParentWatched: boolean): StopWatcher {
  const { promise, resolve } = Promise.withResolvers<string>();
  const timer = setInterval(() => {
    if (isParentWatched && process.ppid !== parent) end('npm has exited');
  }, PARENT_CHECK_MS).unref();
  function release(): void {
    // With both listeners removed, a second signal of either kind ends the process.
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
