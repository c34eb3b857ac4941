import type { Signal } from './platform.ts';
import { reasonOf, throwIfAborted } from './retry.ts';

/** Waits for the promise, or until the signal is aborted: then its reason is thrown and the work goes on without us. */
export async function untilAborted<T>(work: Promise<T>, signal: Signal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  // Nobody may be left to hear how it ended.
  work.catch(() => undefined);
  throwIfAborted(signal);
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(reasonOf(signal));
  });
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
