/** One day, the longest step of the retry schedule. */
export const RETRY_AFTER_SECONDS_MAX = 86_400;

/** The three HTTP date formats (RFC 9110 §5.6.7); the last one has no zone and means UTC. */
const DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * The wait that `Retry-After` requests (RFC 9110 §10.2.3): whole seconds, or a date relative to
 * `now`, rounded up, 0 if past; capped at one day. Null if it is neither or occurs more than once.
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
