/** How often the process observes that it runs. */
const OBSERVED_EVERY_MS = 250;
/** At most this much of the time between two observations counts as time in which it ran. */
const RAN_MS_MAX = 2 * OBSERVED_EVERY_MS;
/** A timer that is later than this was not late because of normal load. */
const LATE_MS_MAX = 1_000;
/** Within this time after a pause, everything that arrived during the pause has been handled. */
const RECOVERY_MS = 1_000;

/** Null until the first question, because starting a process may take seconds. */
let observedAtMs: number | null = null;
let ranMs = 0;
let resumedAtMs = Number.NEGATIVE_INFINITY;
const handlers = new Set<(milliseconds: number) => void>();

function observe(): number {
  const nowMs = performance.now();
  if (observedAtMs === null) setInterval(observe, OBSERVED_EVERY_MS).unref();
  const passedMs = nowMs - (observedAtMs ?? nowMs);
  observedAtMs = nowMs;
  ranMs += Math.min(passedMs, RAN_MS_MAX);
  if (passedMs > OBSERVED_EVERY_MS + LATE_MS_MAX) {
    resumedAtMs = nowMs;
    for (const handler of handlers) handler(passedMs);
  }
  return nowMs;
}

/** A monotonic clock that stands still while the process is paused (stopped, or without CPU). */
export function runningMs(): number {
  observe();
  return ranMs;
}

/**
 * True for a second after a pause. Timers then fire before the sockets are read, so a timeout says
 * nothing about the other side, which may have answered during the pause.
 */
export function hasJustResumed(): boolean {
  return observe() - resumedAtMs < RECOVERY_MS;
}

/** Calls `handler` after each pause of more than a second, until the result is disposed of. */
export function onPause(handler: (milliseconds: number) => void): Disposable {
  handlers.add(handler);
  return { [Symbol.dispose]: () => void handlers.delete(handler) };
}
