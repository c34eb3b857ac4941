import type { Database } from '../src/database/database.ts';

type Work = Parameters<Database['transaction']>[0];

/** A transaction that stays open until it is released. */
export interface HeldTransaction {
  /** Resolves when it has begun and its first work is done. */
  readonly begun: Promise<void>;
  readonly done: Promise<void>;
  release(): void;
}

/** Begins a transaction, does `first` in it, and keeps it open. */
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
