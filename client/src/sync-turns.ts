import { SyncTargetError } from './local-errors.ts';
import type { Signal } from './platform.ts';
import { Turns } from './turns.ts';

/** Runs a sync when no other sync of the same shop does; an aborted signal ends the wait by throwing its reason. */
export type SyncTurn = <T>(sync: () => Promise<T>, signal: Signal | undefined) => Promise<T>;

/** Syncs of a shop that may wait: each reads what is new by then, so more than a few have nothing left to do. */
const WAITING_MAX = 100;

/** Turns for the syncs of an app's shops, by the key of their tokens (decision 0141). */
export function openSyncTurns(): (key: string) => SyncTurn {
  const turns = new Turns();
  return (key) => async (sync, signal) => {
    if (turns.countOf(key) > WAITING_MAX) {
      const message =
        `${WAITING_MAX} syncs of this shop are waiting for the one that runs: ` +
        'await sync(), use follow(), and do not call it within a function of its target';
      throw new SyncTargetError({ message });
    }
    return await turns.take(key, sync, signal);
  };
}
