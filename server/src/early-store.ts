import type { Config } from './config.ts';
import { openStore, type OpenStore } from './store.ts';

/**
 * A database whose opening has begun before the rest of the process is loaded. Disposing of it closes a store that was not
 * taken, which would keep alive a process that cannot start.
 */
export interface EarlyStore extends AsyncDisposable {
  /**
   * Takes the store, which is the caller's to close from now on.
   *
   * @throws what `openStore` throws
   */
  take(): Promise<OpenStore>;
  /** From now on faults are told here, those of before first. */
  tellTo(onFault: (error: Error) => void): void;
}

/** Begins to open the database: a server starts while this process loads what answers requests. */
export function openStoreEarly(config: Config): EarlyStore {
  const untold: Error[] = [];
  let tell = (error: Error): void => void untold.push(error);
  const onFault = (error: Error): void => tell(error);
  const opening = openStore(config, onFault);
  opening.catch(() => {
    // Whoever waits for it is told; the rest is still being loaded.
  });
  let isTaken = false;
  return {
    take: async () => {
      isTaken = true;
      return await opening;
    },
    tellTo: (later) => {
      tell = later;
      for (const error of untold.splice(0)) later(error);
    },
    [Symbol.asyncDispose]: async () => {
      if (isTaken) return;
      // What could not be opened has closed itself; why nothing started is told already.
      const store = await opening.catch(() => null);
      await store?.[Symbol.asyncDispose]();
    },
  };
}
