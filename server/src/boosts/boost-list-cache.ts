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
/** Holds 1,500 lists of the usual size, 41 kB. The largest list of a shop has about 1.6 MB. */
const CACHE_BYTES_MIN = 64 * MIB;
/** The maximum is enough for more than 10,000 active shops. */
const CACHE_BYTES_MAX = 512 * MIB;
/** The share of the process's memory that the cache may use. */
const MEMORY_SHARE = 1 / 8;

/** Two lists for each of 20,000 shops. An empty list takes 60 bytes, and its cache entry 300. */
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

/** The maximum age of `generatedAt`. An older list that is known to be current gets a new date. */
const GENERATED_AT_AGE_MS_MAX = 1_000;
// After this time, a list is read again. Writes of the service invalidate lists immediately, but
// manual changes in the tables do not.
const LIST_AGE_MS_MAX = 60_000;
// The minimum interval between two reads of old lists; a read takes less than a millisecond. With
// 600 shops, each list is read every minute; with 10,000 shops, every 17 minutes.
const REREAD_INTERVAL_MS = 100;

interface PendingList {
  readonly list: Promise<BoostList>;
  /** True if the list's data may be older than the last invalidation. */
  isInvalidated: boolean;
}

/** The end of a body, with an instant at which all cached lists are known to have been current. */
interface ProvenEnd {
  readonly bytes: Buffer;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/**
 * Caches boost lists as bytes, by shop and `include` (decision 0013). A cached list is used until
 * the millisecond at which a boost enters or leaves it, and only while the channel is live: all
 * earlier notifications have then arrived. The next response shows a change by this process.
 *
 * The `generatedAt` of a list older than a second becomes the time of the last heartbeat, because
 * no commit before that heartbeat has changed the list. The bytes before `generatedAt` are reused.
 */
export class BoostListCache {
  readonly #db: Database;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #cache: LRUCache<string, BoostList>;
  readonly #pending = new Map<string, PendingList>();
  readonly #targetTexts = new TargetCache();
  #provenEnd: ProvenEnd | null = null;
  /** When a list was last read again only because of its age, in milliseconds since the epoch. */
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
      // The notification does not say which shops use the changed names in their lists.
      else if (topic === 'catalog') this.invalidateAll();
    };
    db.onAnnouncement(onAnnouncement);
    channel.subscribe('boosts', (shopId) => onAnnouncement('boosts', shopId));
    channel.subscribe('catalog', (position) => onAnnouncement('catalog', position));
    channel.onReset(() => this.invalidateAll());
  }

  /** The body of GET /purchase-boosts. A hit returns no promise, so the hot path never waits. */
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

  /**
   * Returns a cached list, with a new `generatedAt` if necessary, or null if it may be out of date.
   */
  #bodyAt(nowMs: number, list: BoostList): BoostListBody | null {
    if (!holds(list, nowMs)) return null;
    if (nowMs - list.readAtMs < GENERATED_AT_AGE_MS_MAX) return list.body;
    if (nowMs - list.readAtMs >= LIST_AGE_MS_MAX && this.#mayReadAgain(nowMs)) return null;
    const end = this.#provenEndAt(nowMs);
    return end === null ? null : [list.body[0], end];
  }

  /**
   * The end of a body with the newest `generatedAt` at which the lists are known to have been
   * current. Null if that time is too old.
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
    // A negative value means that the clock was set back.
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
   * Renders one list at a time per shop and `include`. A request that arrives meanwhile uses the
   * result if it is still current. Otherwise it waits for the next rendering, which starts later.
   */
  async #render(key: string, shopId: string, include: BoostInclude): Promise<BoostListBody> {
    const earlier = this.#pending.get(key);
    if (earlier !== undefined) {
      const list = await earlier.list.catch(() => null);
      // If the earlier rendering failed, its own request reports the error, and this one renders.
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

/** Returns whether a list is current. `nowMs` precedes `readAtMs` if the clock was set back. */
function holds({ readAtMs, validUntilMs }: BoostList, nowMs: number): boolean {
  return nowMs >= readAtMs && nowMs < validUntilMs;
}

function isRecent(atMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < GENERATED_AT_AGE_MS_MAX;
}

/** Lists of open boosts are requested most. Their key is the shop id, so no string is built. */
function keyOf(shopId: string, include: BoostInclude): string {
  return include === 'open' ? shopId : `${include} ${shopId}`;
}
