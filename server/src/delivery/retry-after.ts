/**
 * The longest wait that a receiver can request: one day, like the longest step of the retry
 * schedule.
 */
export const RETRY_AFTER_SECONDS_MAX = 86_400;

/**
 * The three HTTP date formats (RFC 9110 §5.6.7). The last of them has no time zone and means UTC.
 */
const DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * Returns the seconds that `Retry-After` asks to wait (RFC 9110 §10.2.3), at most one day. The
 * value is whole seconds or a date. The time from `now` to a date is rounded up, and is 0 for a
 * past date. Returns null for any other value or a repeated header.
 */
export function readRetryAfter(value: string | string[] | undefined, now: Date): number | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), RETRY_AFTER_SECONDS_MAX);
  if (!DATES.some((form) => form.test(text))) return null;
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  if (Number.isNaN(at)) return null;
  const seconds = Math.ceil((at - now.getTime()) / 1_000);
  return Math.min(Math.max(seconds, 0), RETRY_AFTER_SECONDS_MAX);
}
