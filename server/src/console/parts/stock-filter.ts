import type { SequencePosition } from '../../inventory/stock-sequence.ts';
import { isUnitStatus, UNIT_STATUSES, type UnitStatus } from '../../inventory/unit-status.ts';
import { parseNumber, type Query, parseUuid, withQuery } from '../query.ts';
import type { RequestContext } from '../request-context.ts';

/** The filters of a list of stock. Invalid values in the list's address are ignored. */
export interface StockListFilter {
  /** The trimmed text of the search field. */
  readonly text: string;
  /** Null shows all statuses in a search, or only units in stock or reserved without a search. */
  readonly status: UnitStatus | 'all' | null;
  readonly siteId: string | null;
  readonly locationId: string | null;
  readonly gradeId: string | null;
  readonly cardId: string | null;
  readonly productId: string | null;
  readonly from: SequencePosition | null;
}

const DEFAULT_STATUSES: readonly UnitStatus[] = ['in_stock', 'reserved'];

export function parseStockFilter(query: RequestContext['query']): StockListFilter {
  const status = query['status'] ?? '';
  return {
    text: (query['q'] ?? '').trim(),
    status: isUnitStatus(status) || status === 'all' ? status : null,
    siteId: parseUuid(query['site']),
    locationId: parseUuid(query['location']),
    gradeId: parseUuid(query['grade']),
    cardId: parseUuid(query['card']),
    productId: parseUuid(query['product']),
    from: parsePosition(query['before']),
  };
}

/** Returns true if the list searches for particular cards, products or units. */
export function hasSearchTerms({ text, cardId, productId }: StockListFilter): boolean {
  return text !== '' || cardId !== null || productId !== null;
}

export function shownStatuses(filter: StockListFilter): readonly UnitStatus[] {
  const { status } = filter;
  if (status !== null && status !== 'all') return [status];
  return status === 'all' || hasSearchTerms(filter) ? UNIT_STATUSES : DEFAULT_STATUSES;
}

/** Formats a position as a query value: `PART` or `PART-SEQ`. */
export function formatSequencePosition(position: SequencePosition | null): string | null {
  if (position === null) return null;
  const { part, beforeSeq } = position;
  return beforeSeq === null ? String(part) : `${part}-${beforeSeq}`;
}

function parsePosition(text = ''): SequencePosition | null {
  const [, part, seq] = /^(\d)(?:-(\d{1,15}))?$/.exec(text) ?? [];
  return part === undefined ? null : { part: Number(part), beforeSeq: parseNumber(seq) };
}

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

export function stockListPath(context: RequestContext, filter: Partial<StockListFilter>): string {
  const query = { ...toQueryValues(filter), before: formatSequencePosition(filter.from ?? null) };
  return withQuery(context.shopPath('/stock'), query);
}

/** Returns the filters of the list that a form was sent from. */
export function parseFormStockFilter({ form }: RequestContext): StockListFilter {
  const sent = form.get('list') ?? '';
  const query = new URLSearchParams(sent.slice(sent.indexOf('?') + 1));
  return parseStockFilter(Object.fromEntries(query));
}

/** Built from parsed values, so that the address cannot redirect to another site. */
export function stockListPathOfForm(context: RequestContext): string {
  return stockListPath(context, parseFormStockFilter(context));
}
