import type { Queryable } from '../database/database.ts';
import { selectEntryStates } from './write-statements.ts';
import { type CatalogEntry, idOfEntry, type FullEntry } from './entry.ts';

type ToggledKind = 'card' | 'product';

export interface LineEntry {
  readonly line: number;
  readonly entry: CatalogEntry;
}

export type ResolvedEntry = FullEntry & { readonly isActive?: boolean };

export interface RefusedActivation {
  readonly line: number;
  readonly error: 'not_found' | 'conflict';
  readonly detail: string;
}

/** The entries to write, with each id of a kind at most once. */
export interface ResolvedEntries {
  readonly whole: readonly ResolvedEntry[];
  /** Entries that change only in `isActive`. */
  readonly toggled: readonly { readonly kind: ToggledKind; readonly id: string }[];
  readonly refused: readonly RefusedActivation[];
}

interface EntryState {
  readonly kind: ToggledKind;
  readonly id: string;
  /** The state in the catalog; null for a new entry. */
  readonly before: boolean | null;
  readonly now: boolean;
}

/**
 * Resolves entries in the order of their lines, so that the result does not depend on where a
 * transaction ends. If an id has several complete lines, the last one is used. An activation
 * applies until a later complete line sets `isActive`, and is refused if no earlier line or import
 * has added the entry. Call this under `lockCatalogExclusive`, so that the states do not change
 * after they were read.
 */
export async function resolveEntries(
  db: Queryable,
  entries: readonly LineEntry[],
): Promise<ResolvedEntries> {
  const states = await readStates(db, entries);
  const whole = new Map<string, FullEntry>();
  const refused: RefusedActivation[] = [];
  for (const { line, entry } of entries) {
    if (entry.kind === 'activation') {
      const [state, other] = statesOf(states, entry.id);
      if (state === undefined || other !== undefined) {
        refused.push({ line, ...(state === undefined ? UNKNOWN : AMBIGUOUS) });
      } else states.set(keyOf(state.kind, state.id), { ...state, now: entry.isActive });
      continue;
    }
    const id = idOfEntry(entry);
    const key = keyOf(entry.kind, id);
    whole.set(key, entry);
    if (entry.kind === 'grade') continue;
    const { before, now } = states.get(key) ?? { before: null, now: true };
    states.set(key, { kind: entry.kind, id, before, now: entry.isActive ?? now });
  }
  const settled = [...whole].map(([key, entry]): ResolvedEntry => {
    if (entry.kind === 'grade') return entry;
    return { ...entry, isActive: states.get(key)?.now ?? true };
  });
  const toggled = [...states]
    .filter(([key, { before, now }]) => !whole.has(key) && before !== now)
    .map(([, { kind, id }]) => ({ kind, id }));
  return { whole: settled, toggled, refused };
}

const UNKNOWN = {
  error: 'not_found',
  detail:
    'id: no card or product has this id. A line with only id and isActive can change only an existing entry.',
} as const;

const AMBIGUOUS = {
  error: 'conflict',
  detail:
    'id: both a card and a product have this id, so a line with only id and isActive is ambiguous.',
} as const;

async function readStates(
  db: Queryable,
  entries: readonly LineEntry[],
): Promise<Map<string, EntryState>> {
  const ids = new Set<string>();
  for (const { entry } of entries) {
    if (entry.kind === 'activation') ids.add(entry.id);
    else if (entry.kind !== 'grade' && entry.isActive === null) ids.add(idOfEntry(entry));
  }
  const states = new Map<string, EntryState>();
  if (ids.size === 0) return states;
  for (const { kind, id, isActive } of await db.query(selectEntryStates, [[...ids]])) {
    states.set(keyOf(kind, id), { kind, id, before: isActive, now: isActive });
  }
  return states;
}

function statesOf(states: ReadonlyMap<string, EntryState>, id: string): EntryState[] {
  return [states.get(keyOf('card', id)), states.get(keyOf('product', id))].filter(
    (state) => state !== undefined,
  );
}

function keyOf(kind: FullEntry['kind'], id: string): string {
  return `${kind} ${id}`;
}
