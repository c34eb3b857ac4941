/** How often a process that npm started checks that npm is still running. */
const PARENT_CHECK_MS = 500;

/** Under npm, this is npm's process id. It is read on import, in case npm exits very early. */
const parent = process.ppid;

export interface StopWatcher {
  readonly stopped: Promise<string>;
  /** Stops watching, and restores the default action of the signals. */
  readonly release: () => void;
}

/** With `isParentWatched`, also watches for the exit of npm, which does not forward signals. */
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
