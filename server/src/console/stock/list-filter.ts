import { isUuid } from '../../base/field.ts';
import { isUnitStatus, type UnitStatus } from '../../inventory/unit-status.ts';
import { withQuery } from '../parts/pager.ts';
import type { Visit } from '../visit.ts';

/** What a list of stock is asked for by its address. What is no value of its kind is passed over. */
export interface ListFilter {
  /** What was typed into the search field, trimmed. */
  readonly text: string;
  readonly status: UnitStatus | null;
  readonly siteId: string | null;
  readonly locationId: string | null;
  readonly gradeId: string | null;
  readonly cardId: string | null;
  readonly productId: string | null;
  readonly beforeSeq: number | null;
}

/** Reads the query of an address. */
export function readFilter(query: Visit['query']): ListFilter {
  const status = query['status'] ?? '';
  const before = query['before'] ?? '';
  return {
    text: (query['q'] ?? '').trim(),
    status: isUnitStatus(status) ? status : null,
    siteId: idOf(query['site']),
    locationId: idOf(query['location']),
    gradeId: idOf(query['grade']),
    cardId: idOf(query['card']),
    productId: idOf(query['product']),
    beforeSeq: /^\d{1,15}$/.test(before) ? Number(before) : null,
  };
}

/** The address of a list, within the shop's pages. */
export function listPath(visit: Visit, filter: Partial<ListFilter>): string {
  return withQuery(visit.path('/stock'), {
    q: filter.text,
    status: filter.status,
    site: filter.siteId,
    location: filter.locationId,
    grade: filter.gradeId,
    card: filter.cardId,
    product: filter.productId,
    before: filter.beforeSeq,
  });
}

/** What the list that a form came from was asked for. */
export function filterOfForm({ form }: Visit): ListFilter {
  const sent = form.get('list') ?? '';
  const query = new URLSearchParams(sent.slice(sent.indexOf('?') + 1));
  return readFilter(Object.fromEntries(query));
}

/** The address of the list that a form came from, made anew from what it says: it leads nowhere else. */
export function listPathOfForm(visit: Visit): string {
  return listPath(visit, filterOfForm(visit));
}

function idOf(text: string | undefined): string | null {
  return isUuid(text) ? text.toLowerCase() : null;
}
