import { isUnitStatus, type UnitStatus } from '../../inventory/unit-status.ts';
import { numberOf, type Query, uuidOf, withQuery } from '../query.ts';
import type { Visit } from '../visit.ts';

/** The filters of a list of stock; invalid values in its address are ignored. */
export interface ListFilter {
  /** The text of the search field, trimmed. */
  readonly text: string;
  readonly status: UnitStatus | null;
  readonly siteId: string | null;
  readonly locationId: string | null;
  readonly gradeId: string | null;
  readonly cardId: string | null;
  readonly productId: string | null;
  readonly beforeSeq: number | null;
}

export function readFilter(query: Visit['query']): ListFilter {
  const status = query['status'] ?? '';
  return {
    text: (query['q'] ?? '').trim(),
    status: isUnitStatus(status) ? status : null,
    siteId: uuidOf(query['site']),
    locationId: uuidOf(query['location']),
    gradeId: uuidOf(query['grade']),
    cardId: uuidOf(query['card']),
    productId: uuidOf(query['product']),
    beforeSeq: numberOf(query['before']),
  };
}

/** The filters of a list as query values. */
export function filterQuery(filter: Partial<ListFilter>): Query {
  return {
    q: filter.text,
    status: filter.status,
    site: filter.siteId,
    location: filter.locationId,
    grade: filter.gradeId,
    card: filter.cardId,
    product: filter.productId,
  };
}

/** The address of a list within the shop's pages. */
export function listPath(visit: Visit, filter: Partial<ListFilter>): string {
  const query = { ...filterQuery(filter), before: filter.beforeSeq };
  return withQuery(visit.path('/stock'), query);
}

/** The filters of the list that a form was sent from. */
export function filterOfForm({ form }: Visit): ListFilter {
  const sent = form.get('list') ?? '';
  const query = new URLSearchParams(sent.slice(sent.indexOf('?') + 1));
  return readFilter(Object.fromEntries(query));
}

/**
 * The address of the list that a form was sent from, built from parsed values so that it cannot
 * redirect elsewhere.
 */
export function listPathOfForm(visit: Visit): string {
  return listPath(visit, filterOfForm(visit));
}
