/** Requests per minute, and the burst allowed after a pause. */
export interface RateLimit {
  readonly perMinute: number;
  readonly burst: number;
}

/** The limit of each bucket; null instead of this means no limits at all (`RATE_LIMITS=off`). */
export interface RateLimits {
  /** Partner API requests per connection, except search and photos. */
  readonly api: RateLimit;
  readonly search: RateLimit;
  readonly photos: RateLimit;
  readonly token: RateLimit;
  /** Authorization requests per address; ten times as many per client, from all addresses. */
  readonly authorize: RateLimit;
  readonly shop: RateLimit;
  readonly console: RateLimit;
  /** Failed authentications per name and address. */
  readonly failures: RateLimit;
}
