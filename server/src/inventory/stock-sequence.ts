import type { Queryable } from '../database/database.ts';
import { listStock, type StockFilter, type StockUnit } from './stock-list.ts';
import { UNIT_STATUSES, type UnitStatus } from './unit-status.ts';

/** The statuses in the order in which a search shows them: available, reserved, all others. */
const STATUS_GROUPS: readonly (readonly UnitStatus[])[] = [
  ['in_stock'],
  ['reserved'],
  UNIT_STATUSES.filter((status) => status !== 'in_stock' && status !== 'reserved'),
];

/** Where a page starts: the index of a filter, and a feed position in that filter's list. */
export interface SequencePosition {
  readonly part: number;
  /** Null at the start of the list. */
  readonly beforeSeq: number | null;
}

export interface SequencePage {
  readonly units: readonly StockUnit[];
  /** Null on the last page. */
  readonly next: SequencePosition | null;
}

/** Splits a filter into up to three: for available units, for reserved ones, and for all others. */
export function splitAvailableFirst(filter: StockFilter): readonly StockFilter[] {
  const { statuses = UNIT_STATUSES } = filter;
  return STATUS_GROUPS.map((group) => group.filter((status) => statuses.includes(status)))
    .filter((group) => group.length > 0)
    .map((group) => ({ ...filter, statuses: group }));
}

/** Lists the units of several filters, one filter after the other, in pages. */
export async function listStockSequence(
  db: Queryable,
  shopId: string,
  filters: readonly StockFilter[],
  { from, limit }: { readonly from: SequencePosition | null; readonly limit: number },
): Promise<SequencePage> {
  const units: StockUnit[] = [];
  const start = from ?? { part: 0, beforeSeq: null };
  for (const [part, filter] of filters.entries()) {
    if (part < start.part) continue;
    const beforeSeq = part === start.part ? start.beforeSeq : null;
    const missing = limit - units.length;
    // Even if the page is full, find out whether another page follows.
    const page = await listStock(db, shopId, filter, { beforeSeq, limit: Math.max(1, missing) });
    if (missing > 0) units.push(...page.units);
    else if (page.units.length > 0) return { units, next: { part, beforeSeq } };
    if (page.nextBeforeSeq !== null) {
      return { units, next: { part, beforeSeq: page.nextBeforeSeq } };
    }
  }
  return { units, next: null };
}
