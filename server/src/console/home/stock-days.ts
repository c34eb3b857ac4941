import { Temporal } from 'temporal-polyfill';
import type { StockMovement } from '../../inventory/stock-figures.ts';

/** The number of days in the chart, including today. */
export const STOCK_DAYS = 30;

/** A shop's stock at the end of a day, or the current stock for today. */
export interface StockDay {
  /** Noon of the day. A change of clocks never moves noon to another day. */
  readonly at: Date;
  readonly units: number;
}

/**
 * Returns the end of the oldest day in a time zone. The chart needs all movements after this
 * instant.
 */
export function stockDaysStart(now: Date, zone: string): Date {
  return endOf(dayOf(now, zone).subtract({ days: STOCK_DAYS - 1 }), zone);
}

/**
 * Returns the stock at the end of each of the last 30 days in a time zone: the current stock minus
 * the later movements. Movements are summed by quarter-hour, because days start at a quarter-hour
 * in every zone.
 */
export function stockDays(
  units: number,
  movements: readonly StockMovement[],
  now: Date,
  zone: string,
): readonly StockDay[] {
  const today = dayOf(now, zone);
  const days: StockDay[] = [];
  let level = units;
  let next = movements.length - 1;
  for (let ago = 0; ago < STOCK_DAYS; ago++) {
    const day = today.subtract({ days: ago });
    const end = endOf(day, zone);
    for (; next >= 0; next--) {
      const movement = movements[next];
      if (movement === undefined || movement.quarter < end) break;
      level -= movement.delta;
    }
    const noon = day.toZonedDateTime({ timeZone: zone, plainTime: '12:00' });
    days.push({ at: new Date(noon.epochMilliseconds), units: level });
  }
  return days.toReversed();
}

function dayOf(instant: Date, zone: string): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(instant.getTime())
    .toZonedDateTimeISO(zone)
    .toPlainDate();
}

function endOf(day: Temporal.PlainDate, zone: string): Date {
  const next = day.add({ days: 1 }).toZonedDateTime(zone).startOfDay();
  return new Date(next.epochMilliseconds);
}
