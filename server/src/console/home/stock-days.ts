import { Temporal } from 'temporal-polyfill';
import type { StockMovement } from '../../inventory/stock-figures.ts';

/** Days in the figure, including today. */
export const STOCK_DAYS = 30;

/** A shop's stock at the end of a day; for today, the current stock. */
export interface StockDay {
  /** Noon: on that day in the shop's zone even when its clocks change. */
  readonly at: Date;
  readonly units: number;
}

/** The end of the oldest day in a time zone: the figure needs the movements since then. */
export function stockDaysStart(now: Date, zone: string): Date {
  return endOf(dayOf(now, zone).subtract({ days: STOCK_DAYS - 1 }), zone);
}

/**
 * The stock at the end of each of the last 30 days in a time zone: today's minus the later
 * movements. Movements are summed by quarter of an hour, and in every zone a day starts on one.
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
