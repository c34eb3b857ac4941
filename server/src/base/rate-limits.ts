/** The allowed requests per minute, and the burst allowed after a pause. */
export interface RateLimit {
  readonly perMinute: number;
  readonly burst: number;
}

/** The limits of the service. With `RATE_LIMITS=off`, null is used instead of this object. */
export interface RateLimits {
  /** Requests per connection. Search and photos have separate limits. */
  readonly api: RateLimit;
  readonly search: RateLimit;
  readonly photos: RateLimit;
  readonly token: RateLimit;
  /** Per address, and per account. */
  readonly authorize: RateLimit;
  readonly shop: RateLimit;
  readonly console: RateLimit;
  readonly failures: RateLimit;
}
