import { performance } from 'node:perf_hooks';

/** What shedding asks of the event loop. */
export interface Loop {
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  /** For how many milliseconds, ever, the loop has waited for something to do. */
  idleMs(): number;
  /** Runs `work` once, when the round that runs now has seen to every socket that it found ready. */
  afterRound(work: () => void): void;
  /** Runs `work` once, when what the loop has just read of one socket is dealt with, and before it reads another. */
  afterRead(work: () => void): void;
  /** Runs `work` once, `ms` milliseconds from now; what waits for it alone does not keep the process. */
  after(ms: number, work: () => void): void;
}

/** The event loop of this thread. */
export const thisLoop: Loop = {
  now: () => performance.now(),
  // 0.1 µs; `eventLoopUtilization` says the same and takes twice that.
  idleMs: () => performance.nodeTiming.idleTime,
  afterRound: (work) => void setImmediate(work),
  afterRead: (work) => process.nextTick(work),
  after: (ms, work) => void setTimeout(work, ms).unref(),
};
