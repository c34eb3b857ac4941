/** How often a process that npm started looks whether npm is still there. */
const PARENT_LOOK_MS = 500;

/** Before anything is waited for: what has ended since then is noticed too. */
const parent = process.ppid;

export interface EndWatch {
  /** Resolves with the reason: the signal that came, or that the parent has gone. */
  readonly ended: Promise<string>;
  /** Watches no longer: a signal ends the process as it would any other. */
  readonly release: () => void;
}

/** Watches for SIGTERM, SIGINT and, where npm started the process, for the end of npm, which passes no signal on. */
export function watchForEnd(isParentWatched: boolean): EndWatch {
  const { promise, resolve } = Promise.withResolvers<string>();
  const looking = setInterval(() => {
    if (isParentWatched && process.ppid !== parent) end('npm has gone');
  }, PARENT_LOOK_MS).unref();
  function release(): void {
    // With both listeners gone, a second signal of either kind ends the process as it would any other.
    process.off('SIGTERM', end);
    process.off('SIGINT', end);
    clearInterval(looking);
  }
  function end(reason: string): void {
    release();
    resolve(reason);
  }
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  return { ended: promise, release };
}
