import type { Clock } from '../base/clock.ts';
import type { RateLimit } from '../base/rate-limits.ts';

/** The decision for one request. Send its headers (`RateLimiter.headers`) with every response. */
export interface RateDecision {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Whole seconds until the bucket is full again. */
  readonly resetSeconds: number;
  /** Seconds until another request is allowed; 0 if this request was allowed. */
  readonly retryAfterSeconds: number;
}

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * When the young generation has this many buckets, it becomes the old one, which is dropped. So the
 * last 100,000 callers keep their buckets, and at most 200,000 buckets of about 100 bytes are
 * stored. With a lower limit, a caller could use many keys to evict its empty buckets.
 */
const GENERATION_BUCKETS_MAX = 100_000;

const NO_HEADERS: readonly string[] = [];

/** A token bucket per key and node. A decision takes 0.3 µs; with Fastify's plugin, 30 µs. */
export class RateLimiter {
  readonly #limit: RateLimit | null;
  readonly #clock: Clock;
  readonly #policy: string;
  readonly #name: string;
  #young = new Map<string, Bucket>();
  #old = new Map<string, Bucket>();

  /** With a null `limit`, everything is allowed and no headers are sent. */
  constructor(name: string, limit: RateLimit | null, clock: Clock) {
    this.#name = name;
    this.#limit = limit;
    this.#clock = clock;
    this.#policy = limit === null ? '' : renderPolicy(name, limit);
  }

  get bucketCount(): number {
    return this.#young.size + this.#old.size;
  }

  /** Returns the decision for a caller that has no bucket, because it is not identified yet. */
  fullBucket(): RateDecision {
    const remaining = this.#limit?.burst ?? 0;
    return { isAllowed: true, remaining, resetSeconds: 0, retryAfterSeconds: 0 };
  }

  /** Returns the headers of draft-ietf-httpapi-ratelimit-headers, or none without a limit. */
  headers(decision: RateDecision): Record<string, string> {
    const rawHeaders = this.rawHeaders(decision);
    const headers: Record<string, string> = {};
    for (let at = 0; at < rawHeaders.length; at += 2) {
      headers[rawHeaders[at] ?? ''] = rawHeaders[at + 1] ?? '';
    }
    return headers;
  }

  rawHeaders({ remaining, resetSeconds }: RateDecision): readonly string[] {
    if (this.#limit === null) return NO_HEADERS;
    const state = `"${this.#name}-burst";r=${remaining};t=${resetSeconds}`;
    return ['ratelimit-policy', this.#policy, 'ratelimit', state];
  }

  take(key: string): RateDecision {
    const limit = this.#limit;
    if (limit === null) {
      return { isAllowed: true, remaining: 0, resetSeconds: 0, retryAfterSeconds: 0 };
    }
    const perMs = limit.perMinute / 60_000;
    const bucket = this.#bucketOf(key, limit, perMs);
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens -= 1;
    return {
      isAllowed,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: Math.ceil((limit.burst - bucket.tokens) / perMs / 1000),
      retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((1 - bucket.tokens) / perMs / 1000)),
    };
  }

  #bucketOf(key: string, limit: RateLimit, perMs: number): Bucket {
    const nowMs = this.#clock.now().getTime();
    const young = this.#young.get(key);
    const bucket = young ?? this.#old.get(key) ?? { tokens: limit.burst, atMs: nowMs };
    // After the clock was set back, no tokens are added.
    const elapsedMs = Math.max(0, nowMs - bucket.atMs);
    bucket.tokens = Math.min(limit.burst, bucket.tokens + elapsedMs * perMs);
    bucket.atMs = nowMs;
    if (young === undefined) this.#store(key, bucket);
    return bucket;
  }

  #store(key: string, bucket: Bucket): void {
    if (this.#young.size >= GENERATION_BUCKETS_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, bucket);
  }
}

function renderPolicy(name: string, limit: RateLimit): string {
  const burstSeconds = Math.max(1, Math.round((limit.burst / limit.perMinute) * 60));
  return `"${name}";q=${limit.perMinute};w=60, "${name}-burst";q=${limit.burst};w=${burstSeconds}`;
}
