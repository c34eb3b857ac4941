import type { UnitRow } from './unit-row.ts';
import { IN_STOCK_STATUSES, type UnitStatus } from './unit-status.ts';

/** Movements are stored by quarter-hour. */
export const QUARTER_MS = 900_000;

/** A unit before the write (undefined if it is new) and after it. */
export interface WrittenUnit {
  readonly before: Pick<UnitRow, 'status' | 'siteId'> | undefined;
  readonly row: Pick<UnitRow, 'id' | 'status' | 'siteId'>;
}

export interface StockEffects {
  /** The changes to the stored counts; `units` is never 0. */
  readonly counts: readonly CountChange[];
  readonly inStockDelta: number;
  readonly changes: readonly StatusChange[];
}

interface CountChange {
  readonly siteId: string;
  readonly status: UnitStatus;
  readonly units: number;
}

/** A change of status. `position` is the unit's index in the batch, from 1. */
interface StatusChange {
  readonly unitId: string;
  readonly position: number;
  readonly from: UnitStatus;
  readonly to: UnitStatus;
}

/** Null if the batch changes no site or status. */
export function stockEffectsOf(units: readonly WrittenUnit[]): StockEffects | null {
  const counts = new Map<string, { siteId: string; status: UnitStatus; units: number }>();
  const changes: StatusChange[] = [];
  let inStockDelta = 0;
  let hasMoved = false;
  const count = ({ siteId, status }: Pick<UnitRow, 'status' | 'siteId'>, by: 1 | -1): void => {
    const key = `${siteId} ${status}`;
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { siteId, status, units: by });
    else known.units += by;
    if (IN_STOCK_STATUSES.has(status)) inStockDelta += by;
  };
  for (const [index, { before, row }] of units.entries()) {
    if (before?.status === row.status && before.siteId === row.siteId) continue;
    hasMoved = true;
    count(row, 1);
    if (before === undefined) continue;
    count(before, -1);
    if (before.status === row.status) continue;
    changes.push({ unitId: row.id, position: index + 1, from: before.status, to: row.status });
  }
  if (!hasMoved) return null;
  return { counts: [...counts.values()].filter((each) => each.units !== 0), inStockDelta, changes };
}

export function quarterOf(instant: Date): Date {
  return new Date(Math.floor(instant.getTime() / QUARTER_MS) * QUARTER_MS);
}
