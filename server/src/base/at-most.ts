import { setTimeout as pause } from 'node:timers/promises';

/** Waits for `work`, and no longer than so many milliseconds. Throws what `work` throws until then. */
export async function atMost(milliseconds: number, work: Promise<unknown> | null): Promise<void> {
  const waiting = new AbortController();
  try {
    await Promise.race([work, pause(milliseconds, undefined, { signal: waiting.signal })]);
  } finally {
    waiting.abort();
  }
}
