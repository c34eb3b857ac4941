import { type Bookmark, isSameBookmark, readBookmark } from './bookmark.ts';
import { SyncTargetError } from './local-errors.ts';
import type {
  KeptCursor,
  StoreTarget,
  SyncStep,
  SyncTarget,
  TransactionParts,
} from './sync-target.ts';

/** The interface through which a sync uses a {@link StoreTarget} or a {@link TransactionTarget}. */
export interface TargetAdapter {
  load(): Promise<Bookmark>;
  /** False if the target cannot remove missing records, so that a 410 ends the sync. */
  readonly canRestart: boolean;
  /**
   * Returns null if the step was saved. If another process has moved the bookmark from `before`,
   * returns the current bookmark of the target.
   */
  save(before: Bookmark, step: SyncStep): Promise<Bookmark | null>;
}

/** Throws a `TypeError` unless the target has the functions of exactly one of the two forms. */
export function checkTarget(target: unknown): void {
  const has = (name: string): boolean => typeof Reflect.get(Object(target), name) === 'function';
  const parts = ['upsert', 'save', 'transaction', 'restart', 'finishRestart', 'loadLocked'].filter(
    (name) => has(name),
  );
  if (has('store') && parts.length > 0) {
    throw new TypeError(
      `a sync target must have either store(step) or ${parts.join(', ')}, not both`,
    );
  }
  const isComplete = has('load') && (has('store') || (has('upsert') && has('save')));
  if (isComplete) return;
  throw new TypeError('a sync target needs load() and store(step), or load(), upsert() and save()');
}

/** The target must have passed {@link checkTarget}. */
export function createAdapter<Tx>(target: SyncTarget<Tx>): TargetAdapter {
  return isStore(target) ? storeAdapter(target) : transactionAdapter(target);
}

function isStore<Tx>(target: SyncTarget<Tx>): target is StoreTarget {
  return target.store !== undefined;
}

async function loadBookmark(load: () => KeptCursor): Promise<Bookmark> {
  return readBookmark(await load());
}

function storeAdapter(target: StoreTarget): TargetAdapter {
  const load = async (): Promise<Bookmark> => await loadBookmark(() => target.load());
  return {
    load,
    canRestart: true,
    save: async (_before, step) => {
      const result: unknown = await target.store(step);
      return result === false ? await load() : null;
    },
  };
}

function transactionAdapter<Tx>(target: TransactionParts<Tx>): TargetAdapter {
  return {
    load: async () => await loadBookmark(() => target.load()),
    canRestart: target.restart !== undefined,
    save: async (before, step) => {
      // The transaction may run its function more than once; the last result counts.
      const run: { moved: Bookmark | null } = { moved: null };
      await inTransaction(target, async (tx) => {
        run.moved = await movedByOther(target, before, tx);
        if (run.moved === null) await saveParts(target, step, tx);
      });
      return run.moved;
    },
  };
}

/** Returns the bookmark that another process has stored, or null if none has. */
async function movedByOther<Tx>(
  target: TransactionParts<Tx>,
  before: Bookmark,
  tx: Tx,
): Promise<Bookmark | null> {
  if (target.loadLocked === undefined) return null;
  const stored = readBookmark(await target.loadLocked(tx));
  return isSameBookmark(stored, before) ? null : stored;
}

async function saveParts<Tx>(
  target: TransactionParts<Tx>,
  { changes, cursor, isRestart, isRestartDone }: SyncStep,
  tx: Tx,
): Promise<void> {
  if (isRestart) await target.restart?.(tx);
  if (changes.length > 0) await target.upsert(changes, tx);
  if (isRestartDone) await target.finishRestart?.(tx);
  await target.save(cursor, tx);
}

async function inTransaction<Tx>(
  target: TransactionParts<Tx>,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  // Without `transaction`, `Tx` is `undefined`, so the functions get `undefined` as `tx`.
  if (target.transaction === undefined) return await work(undefined as Tx);
  const run = { isDone: false };
  await target.transaction(async (tx) => {
    run.isDone = false;
    await work(tx);
    run.isDone = true;
  });
  if (run.isDone) return;
  const message = 'transaction() must call its function and await it before it commits';
  throw new SyncTargetError({ message });
}
