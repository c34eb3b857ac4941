import type { Signal } from './platform.ts';
import { reasonOf, throwIfAborted } from './retry.ts';

/** If the signal is aborted first, this throws its reason while the work continues. */
export async function untilAborted<T>(work: Promise<T>, signal: Signal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  // After an abort there may be no caller left to handle a rejection.
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
