import { type TSchema, Type } from 'typebox';
import { type Field, accept, type ParseResult, refuse } from './field.ts';

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
/** All databases and clients can show the years in this range. */
const YEAR_MIN = 1900;
const YEAR_MAX = 9999;

/** Returns a field of RFC 3339 times with an offset. Digits beyond the milliseconds are dropped. */
export function instantField(description: string): Field<Date> {
  const dateTime = (form: string): TSchema =>
    Type.String({ format: 'date-time', description: `${description} ${form}` });
  return {
    schema: dateTime('RFC 3339 with an offset. Stored to the millisecond and returned in UTC.'),
    responseSchema: dateTime('ISO 8601, UTC, milliseconds.'),
    parse: parseInstantField,
  };
}

function parseInstantField(name: string, value: unknown): ParseResult<Date> {
  const instant = typeof value === 'string' ? parseInstant(value) : null;
  return instant === null
    ? refuse(
        `${name} must be an RFC 3339 date-time with an offset, such as 2026-11-21T09:00:00+09:00.`,
      )
    : accept(instant);
}

function parseInstant(text: string): Date | null {
  const parts = RFC_3339.exec(text);
  if (parts === null) return null;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((index) =>
    Number(parts[index]),
  );
  const [offsetHours, offsetMinutes] = [Number(parts[9] ?? 0), Number(parts[10] ?? 0)];
  if (
    year === undefined ||
    month === undefined ||
    day === undefined ||
    hour === undefined ||
    minute === undefined ||
    second === undefined
  ) {
    return null;
  }
  const isValidTime = hour <= 23 && minute <= 59 && second <= 59;
  if (!isValidTime || offsetHours > 23 || offsetMinutes > 59) return null;
  const ms = Number((parts[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const local = new Date(Date.UTC(year, month - 1, day, hour, minute, second, ms));
  // `Date` turns 30 February into 1 March and the year 24 into 1924. Refuse such dates.
  const isRealDate =
    local.getUTCFullYear() === year &&
    local.getUTCMonth() === month - 1 &&
    local.getUTCDate() === day;
  if (!isRealDate) return null;
  const sign = parts[8] === '-' ? 1 : -1;
  const instant = new Date(local.getTime() + sign * (offsetHours * 60 + offsetMinutes) * 60_000);
  const utcYear = instant.getUTCFullYear();
  return utcYear >= YEAR_MIN && utcYear <= YEAR_MAX ? instant : null;
}
