import type { UnitChange } from '../inventory/unit.ts';
import { seededRandom } from './seeded-random.ts';

/** The number of days for which the demo's charts have data. */
const DAYS = 31;
const DAY_MS = 86_400_000;

/** The changes of units at one instant. */
export interface DemoDay {
  readonly at: Date;
  readonly changes: readonly UnitChange[];
}

/**
 * Spreads the demo's units over the last month. Units acquired before the month exist at its
 * beginning; others are added on the day of their acquisition. Units that were sold, reserved or
 * shipped are added first and change status later. `now` is the end of the last day.
 */
export function spreadOverMonth(units: readonly UnitChange[], now: Date): readonly DemoDay[] {
  const days: UnitChange[][] = Array.from({ length: 2 * (DAYS + 1) }, () => []);
  for (const unit of units) {
    const arrivalDay = dayOf(unit.acquiredAt ?? now, now);
    days[2 * arrivalDay]?.push({ ...unit, status: 'in_stock' });
    if (unit.status === undefined || unit.status === 'in_stock') continue;
    const departureDay =
      arrivalDay + seededRandom(`went ${unit.id}`).integerBelow(DAYS - arrivalDay + 1);
    days[2 * departureDay + 1]?.push({ id: unit.id, status: unit.status });
  }
  return days
    .map((changes, half) => ({ at: instantOf(half, now), changes }))
    .filter(({ changes }) => changes.length > 0);
}

/** Returns the day of an instant: 0 for the beginning of the month, `DAYS` for today. */
function dayOf(instant: Date, now: Date): number {
  const ago = Math.floor((now.getTime() - instant.getTime()) / DAY_MS);
  return Math.max(0, DAYS - ago);
}

/** A day has two instants: units are added at the first and leave at the second. */
function instantOf(half: number, now: Date): Date {
  const daysAgo = DAYS - Math.floor(half / 2);
  const beforeEnd = half % 2 === 0 ? DAY_MS / 8 : 0;
  return new Date(now.getTime() - daysAgo * DAY_MS - beforeEnd);
}
