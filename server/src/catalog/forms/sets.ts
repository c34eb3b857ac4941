import { isObject, isUuid } from '../../base/field.ts';
import { objectOf, textOf } from './members.ts';

/** A set as a file of sets tells it. */
export interface KnownSet {
  readonly id: string;
  /** What is printed on cards or used in shops; null when the file has none. */
  readonly code: string | null;
  readonly name: string | null;
  /** How many cards it has by its own print, as text. */
  readonly total: string | null;
}

/** Sets by what the cards of their form name them by: the code where the id is a uuid (Scryfall), else the id. */
export type KnownSets = ReadonlyMap<string, KnownSet>;

/** Sets that are remembered; the public databases have some hundreds. */
const SETS_MAX = 20_000;

/**
 * One element of a file of sets: of pokemon-tcg-data (`id`, `name`, `printedTotal`, `ptcgoCode`), Scryfall (`code`,
 * `name`, `printed_size`) or TCGdex (`id`, `name`, `cardCount.official`). Null when it is none.
 */
export function readSet(element: unknown): KnownSet | null {
  if (!isObject(element)) return null;
  const id = textOf(element, 'id');
  const name = textOf(element, 'name');
  if (id === null || name === null) return null;
  const total =
    textOf(element, 'printedTotal') ??
    textOf(element, 'printed_size') ??
    textOf(objectOf(element, 'cardCount'), 'official');
  return { id, code: textOf(element, 'ptcgoCode') ?? textOf(element, 'code'), name, total };
}

/** Remembers a set; false when there are too many. */
export function rememberSet(sets: Map<string, KnownSet>, set: KnownSet): boolean {
  if (sets.size >= SETS_MAX) return false;
  sets.set(isUuid(set.id) ? (set.code ?? set.id) : set.id, set);
  return true;
}
