import { Temporal } from 'temporal-polyfill';

/** Years that an instant of trade may lie in; also what every database and browser can show. */
const YEAR_MIN = 1970;
const YEAR_MAX = 9999;

/** An instant as a field of type `datetime-local` has it, in a time zone, to the minute. */
export function localTextOf(instant: Date, zone: string): string {
  const local = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: 'minute' });
}

/**
 * The instant that a field of type `datetime-local` means in a time zone, or null when it is none. What is skipped or
 * comes twice when clocks change is read as everywhere (RFC 5545 §3.3.5): the later one, and the first.
 */
export function parseLocalInstant(text: string, zone: string): Date | null {
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?$/.test(text)) return null;
  try {
    const local = Temporal.PlainDateTime.from(text, { overflow: 'reject' });
    if (local.year <= YEAR_MIN || local.year >= YEAR_MAX) return null;
    const zoned = local.toZonedDateTime(zone, { disambiguation: 'compatible' });
    return new Date(zoned.epochMilliseconds);
  } catch (error) {
    // No such day or time.
    if (error instanceof RangeError) return null;
    throw error;
  }
}
