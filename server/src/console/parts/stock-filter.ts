import { isUnitStatus, type UnitStatus } from '../../inventory/unit-status.ts';
import { parseNumber, type Query, parseUuid, withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';

/** The filters of a list of stock. Invalid values in the list's address are ignored. */
export interface StockListFilter {
  /** The trimmed text of the search field. */
  readonly text: string;
  readonly status: UnitStatus | null;
  readonly siteId: string | null;
  readonly locationId: string | null;
  readonly gradeId: string | null;
  readonly cardId: string | null;
  readonly productId: string | null;
  readonly beforeSeq: number | null;
}

export function parseStockFilter(query: RequestContext['query']): StockListFilter {
  const status = query['status'] ?? '';
  return {
    text: (query['q'] ?? '').trim(),
    status: isUnitStatus(status) ? status : null,
    siteId: parseUuid(query['site']),
    locationId: parseUuid(query['location']),
    gradeId: parseUuid(query['grade']),
    cardId: parseUuid(query['card']),
    productId: parseUuid(query['product']),
    beforeSeq: parseNumber(query['before']),
  };
}

/** Returns the filters of a list as query values. */
export function toQueryValues(filter: Partial<StockListFilter>): Query {
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

/** Returns the address of a stock list within the shop's pages. */
export function stockListPath(context: RequestContext, filter: Partial<StockListFilter>): string {
  const query = { ...toQueryValues(filter), before: filter.beforeSeq };
  return withQuery(context.shopPath('/stock'), query);
}

/** Returns the filters of the list that a form was sent from. */
export function filterOfForm({ form }: RequestContext): StockListFilter {
  const sent = form.get('list') ?? '';
  const query = new URLSearchParams(sent.slice(sent.indexOf('?') + 1));
  return parseStockFilter(Object.fromEntries(query));
}

/**
 * Returns the address of the list that a form was sent from, built from parsed values so that the
 * address cannot redirect to another site.
 */
export function stockListPathOfForm(context: RequestContext): string {
  return stockListPath(context, filterOfForm(context));
}
