import { hasJustResumed } from '../src/base/process-pauses.ts';
import { waitUntil } from './wait-until.ts';

const cell = new Int32Array(new SharedArrayBuffer(4));

/**
 * Stops this thread, as SIGSTOP would: no timer fires and no socket is read meanwhile. `untilRecovered`
 * must follow, because other tests run in this process.
 */
export function pauseProcess(milliseconds: number): void {
  hasJustResumed();
  Atomics.wait(cell, 0, 0, milliseconds);
}

export async function untilRecovered(): Promise<void> {
  await waitUntil(() => !hasJustResumed());
}
