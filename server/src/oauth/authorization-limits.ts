import type { Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import type { RateLimit } from '../base/rate-limits.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { type OAuthRefusal, refusal } from './error-body.ts';

/**
 * A client's limit is this many times the limit of one address. A client id is public, so a single
 * stranger must not be able to use up the client's limit.
 */
const ADDRESSES_PER_CLIENT = 10;

/** Authorization requests need no sign-in, and each stores a row for 15 minutes. */
export class AuthorizationLimits {
  readonly #addresses: RateLimiter;
  readonly #clients: RateLimiter;

  /** @param limit null for no limit */
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

  /** Counts a request from an address. IPv6 addresses are counted by their /64 network. */
  takeForAddress(address: string): OAuthRefusal | null {
    return refuse(this.#addresses, networkOf(address), 'too many requests from this address');
  }

  takeForClient(clientId: string): OAuthRefusal | null {
    return refuse(this.#clients, clientId, 'too many requests for this app');
  }
}

function refuse(limiter: RateLimiter, key: string, reason: string): OAuthRefusal | null {
  const { isAllowed, retryAfterSeconds } = limiter.take(key);
  if (isAllowed) return null;
  return refusal(429, 'rate_limited', reason, { 'retry-after': String(retryAfterSeconds) });
}
