import { SyncTargetError } from './local-errors.ts';
import type { Signal } from './platform.ts';
import { KeyedQueue } from './keyed-queue.ts';

/**
 * Runs a sync as soon as no other sync of the same shop is running. If the signal is aborted during
 * the wait, throws the signal's reason.
 */
export type RunExclusively = <T>(sync: () => Promise<T>, signal: Signal | undefined) => Promise<T>;

/** One waiting sync already reads all new changes, so many mean a fault of the caller. */
const WAITING_MAX = 100;

/** Queues the syncs of an app by the key of their tokens (decision 0141). */
export function openSyncQueue(): (key: string) => RunExclusively {
  const queue = new KeyedQueue();
  return (key) => async (sync, signal) => {
    if (queue.pendingCount(key) > WAITING_MAX) {
      const message =
        `${WAITING_MAX} syncs of this shop are already waiting for the running sync: ` +
        'await each sync(), or use follow(), and do not call sync() inside a function of its target';
      throw new SyncTargetError({ message });
    }
    return await queue.run(key, sync, signal);
  };
}
