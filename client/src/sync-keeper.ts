import { type Bookmark, isSameBookmark, readBookmark } from './bookmark.ts';
import { SyncTargetError } from './local-errors.ts';
import type {
  KeptCursor,
  StoreTarget,
  SyncStep,
  SyncTarget,
  TransactionParts,
} from './sync-target.ts';

/** A target of either form, as a sync works with it. */
export interface SyncKeeper {
  load(): Promise<Bookmark>;
  /** False: a 410 ends the sync, because the target could not remove what has gone. */
  readonly canRestart: boolean;
  /** Keeps a step that begins at `mark`. Answers where the target is instead when another process had moved on. */
  keep(mark: Bookmark, step: SyncStep): Promise<Bookmark | null>;
}

/** Throws a `TypeError` that says what is missing, unless the target has one of the two forms. */
export function checkTarget(target: unknown): void {
  const has = (name: string): boolean => typeof Reflect.get(Object(target), name) === 'function';
  const parts = ['upsert', 'save', 'transaction', 'restart', 'finishRestart', 'loadLocked'].filter(
    (name) => has(name),
  );
  if (has('store') && parts.length > 0) {
    throw new TypeError(
      `a sync target has either store(step), which keeps all of a step, or ${parts.join(', ')}, not both`,
    );
  }
  const isWhole = has('load') && (has('store') || (has('upsert') && has('save')));
  if (isWhole) return;
  throw new TypeError('a sync target needs load() and store(step), or load(), upsert() and save()');
}

/** The target as a keeper; {@link checkTarget} has passed it. */
export function keeperOf<Tx>(target: SyncTarget<Tx>): SyncKeeper {
  return isStore(target) ? storing(target) : transacting(target);
}

function isStore<Tx>(target: SyncTarget<Tx>): target is StoreTarget {
  return target.store !== undefined;
}

async function readKept(load: () => KeptCursor): Promise<Bookmark> {
  return readBookmark(await load());
}

function storing(target: StoreTarget): SyncKeeper {
  const load = async (): Promise<Bookmark> => await readKept(() => target.load());
  return {
    load,
    canRestart: true,
    keep: async (_mark, step) => {
      const answer: unknown = await target.store(step);
      return answer === false ? await load() : null;
    },
  };
}

function transacting<Tx>(target: TransactionParts<Tx>): SyncKeeper {
  return {
    load: async () => await readKept(() => target.load()),
    canRestart: target.restart !== undefined,
    keep: async (mark, step) => {
      // In an object, because a transaction may be run again.
      const run: { moved: Bookmark | null } = { moved: null };
      await inTransaction(target, async (tx) => {
        run.moved = await movedFrom(target, mark, tx);
        if (run.moved === null) await keepParts(target, step, tx);
      });
      return run.moved;
    },
  };
}

/** Where another process has brought the target meanwhile; null: nowhere. */
async function movedFrom<Tx>(
  target: TransactionParts<Tx>,
  mark: Bookmark,
  tx: Tx,
): Promise<Bookmark | null> {
  if (target.loadLocked === undefined) return null;
  const kept = readBookmark(await target.loadLocked(tx));
  return isSameBookmark(kept, mark) ? null : kept;
}

async function keepParts<Tx>(
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
  // Without `transaction` the type parameter is `undefined`, and so is what its functions are given.
  if (target.transaction === undefined) return await work(undefined as Tx);
  const run = { isDone: false };
  await target.transaction(async (tx) => {
    run.isDone = false;
    await work(tx);
    run.isDone = true;
  });
  if (run.isDone) return;
  const message = 'transaction() must call its function and wait for it before it commits';
  throw new SyncTargetError({ message });
}
