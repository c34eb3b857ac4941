/** So many requests a minute, and so many at once after a pause. */
export interface RateLimit {
  readonly perMinute: number;
  readonly burst: number;
}

/** What each bucket lets through; null in their place means no limits at all (`RATE_LIMITS=off`). */
export interface RateLimits {
  /** Partner API calls of a connection, but for search and photos. */
  readonly api: RateLimit;
  readonly search: RateLimit;
  readonly photos: RateLimit;
  readonly token: RateLimit;
  /** Authorization requests of an address; of a client ten times as many, from all addresses. */
  readonly authorize: RateLimit;
  readonly shop: RateLimit;
  readonly console: RateLimit;
  /** Failed authentications of a name and address. */
  readonly failures: RateLimit;
}
