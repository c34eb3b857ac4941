import { Temporal } from 'temporal-polyfill';
import type { StockMovement } from '../../inventory/stock-figures.ts';

/** Days that the figure shows, today among them. */
export const STOCK_DAYS = 30;

/** The level of a shop's stock at the end of a day, or now for today. */
export interface StockDay {
  /** Noon of the day: within it in the shop's zone whatever its clocks do. */
  readonly at: Date;
  readonly units: number;
}

/** When the oldest of the days ends in a time zone: movements since then are what the figure needs. */
export function stockDaysBegin(now: Date, zone: string): Date {
  return endOf(dayOf(now, zone).subtract({ days: STOCK_DAYS - 1 }), zone);
}

/**
 * The level at the end of each of the last 30 days in a time zone: today's less what has come since. Movements are of
 * quarters of an hour, and days of all zones begin at one.
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
