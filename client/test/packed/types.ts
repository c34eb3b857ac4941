// This file is compiled but not run, in a project without the DOM library and @types/node. It uses
// every entry point of the packed SDK.
import {
  CardportError,
  type Change,
  CursorExpiredError,
  InsufficientScopeError,
  isForSale,
  type PartnerApp,
  type Shop,
  type StoreTarget,
  type SyncTarget,
  type Unit,
  type UnitChange,
} from '@cardport/client';
import { fileTokenStore, nodeNoticeHandler } from '@cardport/client/node';
import { signNotice } from '@cardport/client/testing';

export const otherExports: readonly object[] = [fileTokenStore, nodeNoticeHandler, signNotice];

interface Row {
  readonly kind: string;
  readonly id: string;
  readonly data: unknown;
}

interface Database {
  put(row: Row): Promise<void>;
  begin(work: (tx: Database) => Promise<void>): Promise<number>;
}

export function targetOf(db: Database, kept: Map<string, string>): SyncTarget<Database> {
  return {
    load: () => kept.get('cursor'),
    transaction: (work) => db.begin(work),
    upsert: async (changes, tx) => {
      for (const { kind, id, data } of changes) await tx.put({ kind, id, data });
    },
    save: (cursor) => kept.set('cursor', cursor),
  };
}

export function storeOf(kept: Map<string, string>): StoreTarget {
  return {
    load: () => kept.get('cursor'),
    store: ({ changes, cursor, before }) => {
      if (before !== (kept.get('cursor') ?? null)) return false;
      for (const { kind, id } of changes) kept.set(id, kind);
      kept.set('cursor', cursor);
      return true;
    },
  };
}

// @ts-expect-error A target must not have the functions of both forms.
export const bothForms: SyncTarget = { load: () => null, store: () => true, save: () => true };

// @ts-expect-error A page contains every kind of record.
export const narrow: SyncTarget = { load, upsert: (units: readonly UnitChange[]) => units, save };

// @ts-expect-error Without `transaction`, `upsert` and `save` get no transaction.
export const withoutTransaction: SyncTarget<Database> = {
  load,
  upsert: (_, tx) => tx.begin(nothing),
  save,
};

declare function load(): null;
declare function save(): void;
declare function nothing(): Promise<void>;

export async function syncWithEachForm(shop: Shop, db: Database): Promise<boolean> {
  const transaction = async (work: (tx: Database) => Promise<void>): Promise<unknown> =>
    await db.begin(work);
  const upsert = async (changes: readonly Change[], tx: Database): Promise<void> => {
    for (const { kind, id, data } of changes) await tx.put({ kind, id, data });
  };
  const named = await shop.sync<Database>({ load, transaction, upsert, save });
  const typed = await shop.sync(targetOf(db, new Map()));
  const plain = await shop.sync({ load, upsert: (changes) => changes.length, save });
  return [named, typed, plain].every(({ isCaughtUp }) => isCaughtUp);
}

export async function readUnitsForSale(app: PartnerApp, db: Database): Promise<readonly Unit[]> {
  const shop: Shop = app.shop('kumo');
  const units: Unit[] = [];
  for await (const change of shop.changes({ cursor: null })) {
    if (change.kind === 'unit' && isForSale(change.data)) {
      units.push(change.data);
    } else if (change.kind === 'site') {
      await db.put({ ...change, data: change.data.locations.length });
    }
  }
  const photo = await shop.photo('id', 'front', { size: 'small', etag: units[0]?.photos[0]?.etag });
  if (photo !== 'unchanged') await db.put({ kind: photo.contentType, id: '', data: photo.bytes });
  let cursor: string | null = null;
  await shop.sync({
    load: () => cursor,
    upsert: (changes) => {
      void changes.length;
    },
    save: (next) => {
      cursor = next;
    },
  });
  const follower = shop.follow(targetOf(db, new Map()), { pollEveryMs: 60_000 });
  follower.wake();
  await follower.stop();
  return units;
}

export function nameOf(change: Change): string {
  switch (change.kind) {
    case 'site':
    case 'location':
      return change.data.name;
    case 'unit':
      return change.data.item.kind === 'card'
        ? change.data.item.card.name
        : change.data.item.product.name;
    default:
      return `${change.kind} ${change.id}`;
  }
}

export function describeError(error: unknown): string {
  if (error instanceof InsufficientScopeError) return error.scope ?? '';
  if (error instanceof CursorExpiredError) return 'read again';
  return error instanceof CardportError ? `${error.code} ${error.help ?? ''}` : String(error);
}

// @ts-expect-error A unit has no locations: the types exist and are not `any`.
export const wrong = (change: Change): unknown => change.kind === 'unit' && change.data.locations;
