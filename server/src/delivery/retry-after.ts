/** The longest wait that a receiver can request: one day, like the longest step of the schedule. */
export const RETRY_AFTER_SECONDS_MAX = 86_400;

/** The HTTP date formats (RFC 9110 §5.6.7). The last one has no time zone and means UTC. */
const DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * Reads a number of seconds or a date (RFC 9110 §10.2.3). The time from `now` to a date is rounded
 * up, and is 0 for a past date. Null for any other value or a repeated header.
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
