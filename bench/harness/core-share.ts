import { cpus } from 'node:os';

/**
 * Starts measuring how busy a core is. Returns a function that returns the share of time, from 0 to
 * 1, in which the core has been busy since the start.
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
