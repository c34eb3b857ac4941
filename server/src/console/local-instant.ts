import { Temporal } from 'temporal-polyfill';

/** The years that the Shop API accepts, so that forms can edit every instant written there. */
const YEAR_MIN = 1900;
const YEAR_MAX = 9999;

/** Formats an instant for a `datetime-local` input in a time zone, to the minute. */
export function formatLocalInstant(instant: Date, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: 'minute' });
}

/** Returns the first instant of the day of `now` in a time zone. */
export function startOfDay(now: Date, zone: string): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(zone);
  return new Date(local.startOfDay().epochMilliseconds);
}

/**
 * Parses a `datetime-local` value in a time zone. Returns null if the value is invalid. When clocks
 * change, a skipped time means the later instant and a repeated time the first (RFC 5545 §3.3.5).
 */
export function parseLocalInstant(text: string, zone: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/.test(text)) return null;
  try {
    const local = Temporal.PlainDateTime.from(text, { overflow: 'reject' });
    const zoned = local.toZonedDateTime(zone, { disambiguation: 'compatible' });
    const { year } = zoned.withTimeZone('UTC');
    return year < YEAR_MIN || year > YEAR_MAX ? null : new Date(zoned.epochMilliseconds);
  } catch (error) {
    // The day or time does not exist.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
