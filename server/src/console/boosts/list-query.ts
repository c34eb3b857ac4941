import { isUuid } from '../../base/field.ts';
import { BOOST_STATUSES, type BoostStatus } from '../../boosts/boost-status.ts';
import type { BoostOrder, BoostPlace } from '../../boosts/browse-boosts.ts';
import type { Query } from '../query.ts';

/** What the address of the list asks for. */
export interface ListQuery {
  /** Null: all that are neither expired nor ended. */
  readonly status: BoostStatus | null;
  readonly order: BoostOrder;
  /** Empty: every boost. */
  readonly text: string;
  readonly after: BoostPlace | null;
}

/** The same bound as a search of the catalog has. */
const TEXT_CHARACTERS_MAX = 150;

/** Reads the query of the list. What is none of its values is as if it were not given. */
export function readListQuery(query: Readonly<Record<string, string>>): ListQuery {
  const { state, sort, q = '', after } = query;
  return {
    status: BOOST_STATUSES.find((each) => each === state) ?? null,
    order: sort === 'end' ? 'end' : 'price',
    text: Array.from(q.trim()).slice(0, TEXT_CHARACTERS_MAX).join(''),
    after: readPlace(after),
  };
}

/** What a list is filtered by, as the values of an address. */
export function listValues({ status, order, text }: ListQuery): Query {
  return { state: status, sort: order === 'price' ? null : order, q: text };
}

/** A place in a list as the value of an address. */
export function writePlace({ value, id }: BoostPlace): string {
  return `${value}.${id}`;
}

function readPlace(text: string | undefined): BoostPlace | null {
  const [, value = '', id] = /^(\d{1,15}|Infinity)\.([0-9a-f-]{36})$/.exec(text ?? '') ?? [];
  return isUuid(id) ? { value: Number(value), id } : null;
}
