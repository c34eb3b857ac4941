import type { Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import type { RateLimit } from '../base/rate-limits.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { type OAuthRefusal, refusal } from './error-body.ts';

/** A client may send as many requests as so many addresses: its id is public, so a stranger must not use its share up. */
const ADDRESSES_PER_CLIENT = 10;

/** Limits of what anybody may send without signing in: each request keeps a row for a quarter of an hour. */
export class AuthorizationLimits {
  readonly #addresses: RateLimiter;
  readonly #clients: RateLimiter;

  /** `limit` null lets everything through. */
  constructor(limit: RateLimit | null, clock: Clock) {
    const ofClient =
      limit === null
        ? null
        : {
            perMinute: limit.perMinute * ADDRESSES_PER_CLIENT,
            burst: limit.burst * ADDRESSES_PER_CLIENT,
          };
    this.#addresses = new RateLimiter('authorize', limit, clock);
    this.#clients = new RateLimiter('authorize', ofClient, clock);
  }

  /** Counts a request of an address (IPv6: of its /64); the refusal when it is one too many. */
  takeOfAddress(address: string): OAuthRefusal | null {
    return refuse(this.#addresses, networkOf(address), 'too many requests from this address');
  }

  /** Counts a request for a client that exists; the refusal when it is one too many. */
  takeOfClient(clientId: string): OAuthRefusal | null {
    return refuse(this.#clients, clientId, 'too many requests for this app');
  }
}

function refuse(limiter: RateLimiter, key: string, reason: string): OAuthRefusal | null {
  const { isAllowed, retryAfterSeconds } = limiter.take(key);
  if (isAllowed) return null;
  return refusal(429, 'rate_limited', reason, { 'retry-after': String(retryAfterSeconds) });
}
