/** spec 4.6 */
const PAGE_LIMIT_MAX = 1_000;

/** Throws a `RangeError` that names the option, which the service's 400 would not do. */
export function checkLimit(name: string, limit: number | undefined, max: number): void {
  if (limit === undefined) return;
  const isValid = Number.isInteger(limit) && limit >= 1 && limit <= max;
  if (isValid) return;
  throw new RangeError(`${name} must be a whole number from 1 to ${max}, not ${limit}`);
}

export function checkPageLimit(limit: number | undefined): void {
  checkLimit('limit', limit, PAGE_LIMIT_MAX);
}
