/** Requests per minute, and the burst allowed after a pause. */
export interface RateLimit {
  readonly perMinute: number;
  readonly burst: number;
}

/** Null instead of this means no limits at all (`RATE_LIMITS=off`). */
export interface RateLimits {
  /** Counted per connection, without search and photos. */
  readonly api: RateLimit;
  readonly search: RateLimit;
  readonly photos: RateLimit;
  readonly token: RateLimit;
  /** Counted per address; ten times as many per client, from all addresses. */
  readonly authorize: RateLimit;
  readonly shop: RateLimit;
  readonly console: RateLimit;
  /** Counted per name and address. */
  readonly failures: RateLimit;
}
