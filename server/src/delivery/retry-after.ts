/** Longest wait that a receiver may ask for, in seconds: a day, the longest step of the retry table. */
export const RETRY_AFTER_SECONDS_MAX = 86_400;

/** The three forms of a date in HTTP (RFC 9110 §5.6.7); the last one has no zone and means UTC. */
const DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * The seconds that a `Retry-After` asks for (RFC 9110 §10.2.3): whole seconds, or a date, measured from `now` and rounded
 * up, 0 when it has passed; never more than a day. Null for what is neither, or is there more than once.
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
