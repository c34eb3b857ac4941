import { totalmem } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import {
  type BoostListBody,
  type BoostList,
  renderListEnd,
  renderBoostList,
} from './boost-list.ts';
import { BOOST_INCLUDES, type BoostInclude } from './boost-status.ts';
import { TargetCache } from './target-cache.ts';

export interface CacheLimits {
  readonly listsMax: number;
  readonly bytesMax: number;
}

const MIB = 1024 * 1024;
/** 1,500 lists of the usual 41 kB; a shop at its limit has one of about 1.6 MB. */
const CACHE_BYTES_MIN = 64 * MIB;
/** More than 10,000 active shops. */
const CACHE_BYTES_MAX = 512 * MIB;
/** Of the process's memory. */
const MEMORY_SHARE = 1 / 8;

/** Two lists for each of 20,000 shops; an empty list takes 60 bytes and its entry about 300. */
const CACHE_LIMITS: CacheLimits = {
  listsMax: 40_000,
  bytesMax: Math.min(
    Math.max(
      Math.floor((process.constrainedMemory() || totalmem()) * MEMORY_SHARE),
      CACHE_BYTES_MIN,
    ),
    CACHE_BYTES_MAX,
  ),
};

/** An older list gets a newer date if it is known to be unchanged. */
const GENERATED_AT_AGE_MS_MAX = 1_000;
/**
 * How long a list gets newer dates before it is read again. The service's own writes invalidate it;
 * this covers manual changes in the tables, and one read a minute costs nothing.
 */
const LIST_AGE_MS_MAX = 60_000;
/**
 * Minimum interval between two such reads: ten a second, each under a millisecond. With 600 shops
 * each list is read every minute; with 10,000, where that would cost an eighth of a core, every 17
 * minutes.
 */
const REREAD_INTERVAL_MS = 100;

interface PendingList {
  readonly list: Promise<BoostList>;
  /** Its data may be older than the last invalidation. */
  isInvalidated: boolean;
}

interface ProvenEnd {
  readonly bytes: Buffer;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/**
 * Caches the lists of boosts as bytes, by shop and `include`. A cached list is used only while it
 * is valid: until the millisecond at which a boost enters or leaves it, and while the channel is
 * proven (its heartbeat came back, so all earlier notifications have arrived). A change made by
 * this process is visible to its next request. A list older than a second is dated with the instant
 * at which that heartbeat was sent: nothing committed before then has changed it. The bytes before
 * the date are never copied (decision 0013).
 */
export class BoostListCache {
  readonly #db: Database;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #cache: LRUCache<string, BoostList>;
  readonly #pending = new Map<string, PendingList>();
  readonly #targetTexts = new TargetCache();
  #provenEnd: ProvenEnd | null = null;
  /** The last re-read that was due only to a list's age, in milliseconds since the epoch. */
  #readAgainAtMs = Number.NEGATIVE_INFINITY;

  constructor(db: Database, channel: Channel, clock: Clock, bounds = CACHE_LIMITS) {
    this.#db = db;
    this.#channel = channel;
    this.#clock = clock;
    this.#cache = new LRUCache({
      max: bounds.listsMax,
      maxSize: bounds.bytesMax,
      sizeCalculation: ({ body: [list, end] }) => list.length + end.length,
    });
    const onAnnouncement = (topic: string, payload: string): void => {
      if (topic === 'boosts') this.invalidateShop(payload);
      // The lists contain names of cards and grades, and the notification does not say which shops
      // use them.
      else if (topic === 'catalog') this.invalidateAll();
    };
    db.onAnnouncement(onAnnouncement);
    channel.subscribe('boosts', (shopId) => onAnnouncement('boosts', shopId));
    channel.subscribe('catalog', (position) => onAnnouncement('catalog', position));
    channel.onReset(() => this.invalidateAll());
  }

  /**
   * The body of GET /purchase-boosts. Not a promise on a cache hit, so that the hot path does not
   * wait.
   */
  find(shopId: string, include: BoostInclude): BoostListBody | Promise<BoostListBody> {
    const key = keyOf(shopId, include);
    const cached = this.#cache.get(key);
    if (cached !== undefined && this.#channel.isLive()) {
      const nowMs = this.#clock.now().getTime();
      const body = this.#bodyAt(nowMs, cached);
      if (body !== null) return body;
    }
    return this.#render(key, shopId, include);
  }

  /** With its original date, or a newer one at which it was known to be current; else null. */
  #bodyAt(nowMs: number, list: BoostList): BoostListBody | null {
    if (!holds(list, nowMs)) return null;
    if (nowMs - list.readAtMs < GENERATED_AT_AGE_MS_MAX) return list.body;
    if (nowMs - list.readAtMs >= LIST_AGE_MS_MAX && this.#mayReadAgain(nowMs)) return null;
    const end = this.#provenEndAt(nowMs);
    return end === null ? null : [list.body[0], end];
  }

  /**
   * Shared by all lists, so that a new date costs nothing; null when the newest proof is too old.
   */
  #provenEndAt(nowMs: number): Buffer | null {
    const earlier = this.#provenEnd;
    if (earlier !== null && isRecent(earlier.atMs, nowMs)) return earlier.bytes;
    const atMs = Math.floor(nowMs - this.#channel.heartbeatAgeMs());
    if (!isRecent(atMs, nowMs)) return null;
    const bytes = renderListEnd(new Date(atMs));
    this.#provenEnd = { bytes, atMs };
    return bytes;
  }

  #mayReadAgain(nowMs: number): boolean {
    const sinceMs = nowMs - this.#readAgainAtMs;
    // Negative: the clock was set back.
    if (sinceMs >= 0 && sinceMs < REREAD_INTERVAL_MS) return false;
    this.#readAgainAtMs = nowMs;
    return true;
  }

  invalidateShop(shopId: string): void {
    for (const include of BOOST_INCLUDES) this.#invalidate(keyOf(shopId, include));
  }

  invalidateAll(): void {
    this.#cache.clear();
    this.#targetTexts.clear();
    for (const pending of this.#pending.values()) pending.isInvalidated = true;
  }

  #invalidate(key: string): void {
    this.#cache.delete(key);
    const pending = this.#pending.get(key);
    if (pending !== undefined) pending.isInvalidated = true;
  }

  /**
   * Renders one list at a time per shop and `include`. A request during a rendering shares it if
   * the result would also be valid from the cache; otherwise it waits and shares the next one,
   * which starts after the request arrived.
   */
  async #render(key: string, shopId: string, include: BoostInclude): Promise<BoostListBody> {
    const earlier = this.#pending.get(key);
    if (earlier !== undefined) {
      const list = await earlier.list.catch(() => null);
      // If the earlier rendering failed, its error belongs to the request that started it; try
      // again.
      const isShared = list !== null && !earlier.isInvalidated && this.#channel.isLive();
      const body = isShared ? this.#bodyAt(this.#clock.now().getTime(), list) : null;
      if (body !== null) return body;
    }
    const pending = this.#pending.get(key) ?? this.#startRendering(key, shopId, include);
    return (await pending.list).body;
  }

  #startRendering(key: string, shopId: string, include: BoostInclude): PendingList {
    const isLive = this.#channel.isLive();
    const targets = { texts: this.#targetTexts, canUseCache: isLive };
    const list = renderBoostList(this.#db, shopId, include, this.#clock.now(), targets);
    const pending: PendingList = { list, isInvalidated: false };
    this.#pending.set(key, pending);
    const settle = (rendered: BoostList | null): void => {
      this.#pending.delete(key);
      if (rendered !== null && isLive && !pending.isInvalidated) this.#cache.set(key, rendered);
    };
    list.then(settle, () => settle(null));
    return pending;
  }
}

/** A list is valid from its own instant on; the clock may have been set back. */
function holds({ readAtMs, validUntilMs }: BoostList, nowMs: number): boolean {
  return nowMs >= readAtMs && nowMs < validUntilMs;
}

function isRecent(atMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < GENERATED_AT_AGE_MS_MAX;
}

/** The common list's key is the shop id alone, so that no string is built per request. */
function keyOf(shopId: string, include: BoostInclude): string {
  return include === 'open' ? shopId : `${include} ${shopId}`;
}
