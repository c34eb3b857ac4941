import { Temporal } from 'temporal-polyfill';

/** The years that the Shop API accepts: what it wrote can be edited. */
const YEAR_MIN = 1900;
const YEAR_MAX = 9999;

/** An instant as a `datetime-local` input shows it in a time zone, to the minute. */
export function localTextOf(instant: Date, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: 'minute' });
}

/**
 * The instant of a `datetime-local` value in a time zone, or null when it is invalid. When clocks
 * change, a skipped time means the later instant and a repeated one the first (RFC 5545 §3.3.5).
 */
export function parseLocalInstant(text: string, zone: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/.test(text)) return null;
  try {
    const local = Temporal.PlainDateTime.from(text, { overflow: 'reject' });
    const zoned = local.toZonedDateTime(zone, { disambiguation: 'compatible' });
    const { year } = zoned.withTimeZone('UTC');
    return year < YEAR_MIN || year > YEAR_MAX ? null : new Date(zoned.epochMilliseconds);
  } catch (error) {
    // No such day or time.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
