import { isObject, isUuid } from '../../base/field.ts';
import { objectOf, textOf } from './external-object.ts';

export interface KnownSet {
  readonly id: string;
  /** The code that is printed on cards or used in shops; null if the file has none. */
  readonly code: string | null;
  readonly name: string | null;
  /** The number of cards in the set, as it is printed on cards. */
  readonly total: string | null;
}

/** Sets by the key that cards contain: the code if set ids are UUIDs (Scryfall), else the id. */
export type KnownSets = ReadonlyMap<string, KnownSet>;

/** The maximum number of sets in a file. The public databases have a few hundred. */
const SETS_MAX = 20_000;

/**
 * Reads one element of a file of sets: pokemon-tcg-data (`id`, `name`, `printedTotal`,
 * `ptcgoCode`), Scryfall (`code`, `name`, `printed_size`) or TCGdex (`id`, `name`,
 * `cardCount.official`). Returns null if the element is not a set.
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

export function addKnownSet(sets: Map<string, KnownSet>, set: KnownSet): boolean {
  if (sets.size >= SETS_MAX) return false;
  sets.set(isUuid(set.id) ? (set.code ?? set.id) : set.id, set);
  return true;
}
