import { Temporal } from 'temporal-polyfill';

/** What `datetime-local` sends (HTML §2.3.5.5): a day and a time of it, without a zone. */
const LOCAL = /^(\d{4})-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?$/;
/** Years that an instant of trade may lie in; what the Shop API takes too. */
const YEAR_MIN = 1900;
const YEAR_MAX = 9998;

/**
 * The instant of a local time in a zone, or null when it is none. A time that a change of clocks skips is taken as if the
 * clocks had not changed; of one that comes twice, the first counts (RFC 5545 §3.3.5).
 */
export function parseLocalTime(text: string, zone: string): Date | null {
  const year = Number(LOCAL.exec(text)?.[1] ?? 0);
  if (year < YEAR_MIN || year > YEAR_MAX) return null;
  try {
    const local = Temporal.PlainDateTime.from(text);
    const zoned = local.toZonedDateTime(zone, { disambiguation: 'compatible' });
    return new Date(zoned.epochMilliseconds);
  } catch (error) {
    // 30 February has the right form.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** An instant as the value of a `datetime-local` field, to the minute; empty for none. */
export function localTimeText(instant: Date | null, zone: string): string {
  if (instant === null) return '';
  const zoned = Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);
  return zoned.toPlainDateTime().toString({ smallestUnit: 'minute' });
}
