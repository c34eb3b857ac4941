import { ApiError } from '../http/errors.ts';

export function invalidRequest(): ApiError {
  return new ApiError(400, 'invalid_request');
}

/**
 * Refuses a query that is not percent-encoded UTF-8 (RFC 3986 §2.1). Fastify would leave it
 * undecoded, and a search would find nothing instead of failing.
 *
 * @throws ApiError 400
 */
export function requireEncodedQuery(address: string): void {
  const at = address.indexOf('?');
  if (at === -1 || !address.includes('%', at)) return;
  try {
    decodeURIComponent(address.slice(at));
  } catch {
    throw invalidRequest();
  }
}

/** Refuses a repeated parameter (decision 0005). */
export function readParameter(query: unknown, name: string): string | undefined {
  if (typeof query !== 'object' || query === null) return undefined;
  const value: unknown = Reflect.get(query, name);
  if (value === undefined || typeof value === 'string') return value;
  throw invalidRequest();
}

/** Reads `limit`: a whole number from 1 to `max`, without sign, leading zero, point or space. */
export function readLimit(query: unknown, max: number, defaultLimit: number): number {
  const text = readParameter(query, 'limit');
  if (text === undefined) return defaultLimit;
  const limit = /^[1-9][0-9]{0,4}$/.test(text) ? Number(text) : max + 1;
  if (limit > max) throw invalidRequest();
  return limit;
}
