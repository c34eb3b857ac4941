import type { Database } from '../src/database/database.ts';

type Work = Parameters<Database['transaction']>[0];

export interface HeldTransaction {
  /** Resolves when the transaction has begun and `first` is done. */
  readonly begun: Promise<void>;
  readonly done: Promise<void>;
  release(): void;
}

/** Begins a transaction, runs `first` in the transaction, and keeps it open. */
export function holdTransaction(db: Database, first: Work = async () => null): HeldTransaction {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const done = db.transaction(async (tx) => {
    await first(tx);
    begun.resolve();
    await end.promise;
  });
  return { begun: begun.promise, done, release: () => end.resolve() };
}
