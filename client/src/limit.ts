/** Records per page of the feed (specification 4.6). */
const PAGE_LIMIT_MAX = 1_000;

/**
 * Throws a `RangeError` that names the option, unless the number is undefined or whole and from 1
 * to `max`. The service would answer 400 `invalid_request` without naming the option.
 */
export function checkLimit(name: string, limit: number | undefined, max: number): void {
  if (limit === undefined) return;
  const isValid = Number.isInteger(limit) && limit >= 1 && limit <= max;
  if (isValid) return;
  throw new RangeError(`${name} must be a whole number from 1 to ${max}, not ${limit}`);
}

/** Throws a `RangeError` unless a page of the feed may have this many records. */
export function checkPageLimit(limit: number | undefined): void {
  checkLimit('limit', limit, PAGE_LIMIT_MAX);
}
