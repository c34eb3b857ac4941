import { cpus } from 'node:os';

/**
 * Starts measuring how busy a core is. Returns a function that reports the share of the time since
 * then in which the core was busy, from 0 to 1.
 */
export function watchCore(core: number): () => number {
  const from = timesOf(core);
  return () => {
    const to = timesOf(core);
    return (to.busyMs - from.busyMs) / Math.max(1, to.allMs - from.allMs);
  };
}

function timesOf(core: number): { readonly busyMs: number; readonly allMs: number } {
  const { user = 0, nice = 0, sys = 0, irq = 0, idle = 0 } = cpus()[core]?.times ?? {};
  const busyMs = user + nice + sys + irq;
  return { busyMs, allMs: busyMs + idle };
}
