import { performance } from 'node:perf_hooks';

/** What load shedding needs from the event loop. */
export interface EventLoop {
  /** A monotonic clock in milliseconds. */
  now(): number;
  /** Total idle time in milliseconds. */
  idleMs(): number;
  /** Runs `work` after the current tick has handled every socket that was ready. */
  afterTick(work: () => void): void;
  /** Runs `work` after the data just read is handled, before another socket is read. */
  afterRead(work: () => void): void;
  /** Does not keep the process alive. */
  after(ms: number, work: () => void): void;
}

export const eventLoop: EventLoop = {
  now: () => performance.now(),
  // 0.1 µs; `eventLoopUtilization` gives the same in twice the time.
  idleMs: () => performance.nodeTiming.idleTime,
  afterTick: (work) => void setImmediate(work),
  afterRead: (work) => process.nextTick(work),
  after: (ms, work) => void setTimeout(work, ms).unref(),
};
