import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../database/database.ts';
import { ApiError } from '../http/errors.ts';
import type { RateLimiter } from '../http/rate-limit.ts';
import type { Actor } from '../shops/audit.ts';
import { findShopKey } from '../shops/shop-key.ts';

/** The shop that a write changes, and the actor of the write. */
export interface WrittenShop {
  readonly id: string;
  readonly currency: string;
  /** The maximum number of units; missing for the operator's commands. */
  readonly unitsMax?: number;
  readonly by: Actor;
}

/** The shop that the request's key belongs to. */
export interface AuthenticatedShop extends WrittenShop {
  readonly keyId: string;
}

export interface ShopKeyCheck {
  readonly db: Database;
  readonly clock: Clock;
  /** Counts requests per key. */
  readonly requests: RateLimiter;
  /** Counts failures per address. */
  readonly failures: RateLimiter;
  readonly unitsMax: number;
}

/** 65 letters and digits, or 43 in the emulator's keys. Other values are not looked up. */
const KEY = /^csk_(?:[0-9A-Za-z]{65}|[0-9A-Za-z]{43})$/;

/**
 * Also sets the rate limit headers of the response.
 *
 * @throws ApiError 401 without a valid key, 429 over the limit of the key or the failing address
 */
export async function authenticateShop(
  check: ShopKeyCheck,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AuthenticatedShop> {
  const key = readBearer(request.headers.authorization);
  const now = check.clock.now();
  const holder = key !== null && KEY.test(key) ? await findShopKey(check.db, key, now) : undefined;
  if (holder === undefined) {
    void reply.headers(check.requests.headers(check.requests.fullBucket()));
    throw refuseKey(check, request, key !== null);
  }
  request.subject = { shopId: holder.shopId, clientId: null };
  const decision = check.requests.take(holder.keyId);
  void reply.headers(check.requests.headers(decision));
  if (!decision.isAllowed) throw tooMany(decision.retryAfterSeconds);
  const { shopId, keyId, currency } = holder;
  const { unitsMax } = check;
  return { id: shopId, keyId, currency, unitsMax, by: { kind: 'shop_key', keyId } };
}

/** Returns the bearer token (RFC 6750 §2.1). The scheme is case-insensitive (RFC 9110 §11.1). */
function readBearer(header: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null;
}

function refuseKey(check: ShopKeyCheck, request: FastifyRequest, wasSent: boolean): ApiError {
  if (wasSent) {
    // Failures do not block valid keys from the same address, because the key was checked first.
    const decision = check.failures.take(request.ip);
    if (!decision.isAllowed) return tooMany(decision.retryAfterSeconds);
  }
  const challenge = wasSent ? 'Bearer error="invalid_token"' : 'Bearer';
  return new ApiError(401, 'invalid_token', { headers: { 'www-authenticate': challenge } });
}

function tooMany(retryAfterSeconds: number): ApiError {
  const headers = { 'retry-after': String(retryAfterSeconds) };
  return new ApiError(429, 'rate_limited', { headers });
}
