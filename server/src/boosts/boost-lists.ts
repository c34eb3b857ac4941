import { totalmem } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import { type BoostAnswer, type BoostList, endOf, makeBoostList } from './boost-list.ts';
import { BOOST_INCLUDES, type BoostInclude } from './boost-status.ts';
import { TargetTexts } from './target-texts.ts';

/** Limits of the cache. */
export interface KeepingBounds {
  readonly listsMax: number;
  readonly bytesMax: number;
}

const MIB = 1024 * 1024;
/**
 * Lower limit of the cache: 1,500 lists of the usual 41 kB; a shop at its limit has one of about
 * 1.6 MB.
 */
const LIST_BYTES_LEAST = 64 * MIB;
/** Upper limit: more than 10,000 active shops. */
const LIST_BYTES_MOST = 512 * MIB;
/** The cache may take an eighth of the process's memory; the rest is for everything else. */
const MEMORY_SHARE = 1 / 8;

/** Two lists for each of 20,000 shops; an empty list takes 60 bytes and its entry about 300. */
const KEEPING_BOUNDS: KeepingBounds = {
  listsMax: 40_000,
  bytesMax: Math.min(
    Math.max(
      Math.floor((process.constrainedMemory() || totalmem()) * MEMORY_SHARE),
      LIST_BYTES_LEAST,
    ),
    LIST_BYTES_MOST,
  ),
};

/** Maximum age of `generatedAt`. An older list gets a newer date if it is known to be unchanged. */
const DATE_MS_MAX = 1_000;
/**
 * How long a list gets newer dates before it is read again. The service's own writes invalidate it;
 * this covers manual changes in the tables, and one read a minute costs nothing.
 */
const LIST_MS_MAX = 60_000;
/**
 * Minimum time between two such reads: ten a second, each under a millisecond. With 600 shops each
 * list is read every minute; with 10,000, where that would cost an eighth of a core, every 17
 * minutes.
 */
const READ_AGAIN_MS = 100;

/** A list that is being rendered. */
interface Making {
  readonly list: Promise<BoostList>;
  /** True when its data may be older than the last invalidation. */
  isDropped: boolean;
}

/** The end for lists that are proven current as of `atMs`. */
interface ProvenEnd {
  readonly bytes: Buffer;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
}

/**
 * Caches the lists of boosts as bytes, by shop and `include`. A cached list is used only while it
 * is valid: until the millisecond at which a boost enters or leaves it, and while the channel is
 * proven (its heartbeat came back, so all earlier notifications have arrived and have invalidated
 * what they concern). A change made by this process is visible to its next request. A list older
 * than a second gets the instant at which that heartbeat was sent as its date: nothing committed
 * before then has changed it. The bytes before the date are never copied (decision 0013).
 */
export class BoostLists {
  readonly #db: Database;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #kept: LRUCache<string, BoostList>;
  readonly #making = new Map<string, Making>();
  readonly #targetTexts = new TargetTexts();
  #provenEnd: ProvenEnd | null = null;
  /** When a list was last read again only because of its age, in milliseconds since the epoch. */
  #readAgainAtMs = Number.NEGATIVE_INFINITY;

  constructor(db: Database, channel: Channel, clock: Clock, bounds = KEEPING_BOUNDS) {
    this.#db = db;
    this.#channel = channel;
    this.#clock = clock;
    this.#kept = new LRUCache({
      max: bounds.listsMax,
      maxSize: bounds.bytesMax,
      sizeCalculation: ({ answer: [list, end] }) => list.length + end.length,
    });
    const hear = (topic: string, payload: string): void => {
      if (topic === 'boosts') this.dropShop(payload);
      // The lists contain names of cards and grades, and the notification does not say which shops
      // use them.
      else if (topic === 'catalog') this.dropAll();
    };
    db.onAnnounced(hear);
    channel.subscribe('boosts', (shopId) => hear('boosts', shopId));
    channel.subscribe('catalog', (position) => hear('catalog', position));
    channel.onReset(() => this.dropAll());
  }

  /**
   * The body of GET /purchase-boosts. Returned without a promise on a cache hit, so that the hot
   * path does not wait.
   */
  find(shopId: string, include: BoostInclude): BoostAnswer | Promise<BoostAnswer> {
    const key = keyOf(shopId, include);
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#channel.isProven()) {
      const nowMs = this.#clock.now().getTime();
      const answer = this.#answerAt(nowMs, kept);
      if (answer !== null) return answer;
    }
    return this.#make(key, shopId, include);
  }

  /**
   * The list with its original date, or with a newer one at which it was known to be current; else
   * null.
   */
  #answerAt(nowMs: number, list: BoostList): BoostAnswer | null {
    if (!holds(list, nowMs)) return null;
    if (nowMs - list.madeAtMs < DATE_MS_MAX) return list.answer;
    if (nowMs - list.madeAtMs >= LIST_MS_MAX && this.#mayReadAgain(nowMs)) return null;
    // Newer than the list's own date, which is over a second old.
    const end = this.#provenEndAt(nowMs);
    return end === null ? null : [list.answer[0], end];
  }

  /**
   * One end shared by all lists, so that a new date costs nothing; null when the newest proof is
   * too old.
   */
  #provenEndAt(nowMs: number): Buffer | null {
    const earlier = this.#provenEnd;
    if (earlier !== null && isYoung(earlier.atMs, nowMs)) return earlier.bytes;
    const atMs = Math.floor(nowMs - this.#channel.provenAgeMs());
    if (!isYoung(atMs, nowMs)) return null;
    const bytes = endOf(new Date(atMs));
    this.#provenEnd = { bytes, atMs };
    return bytes;
  }

  #mayReadAgain(nowMs: number): boolean {
    const sinceMs = nowMs - this.#readAgainAtMs;
    // Negative: the clock was set back.
    if (sinceMs >= 0 && sinceMs < READ_AGAIN_MS) return false;
    this.#readAgainAtMs = nowMs;
    return true;
  }

  /** Drops a shop's lists, including those being rendered. */
  dropShop(shopId: string): void {
    for (const include of BOOST_INCLUDES) this.#drop(keyOf(shopId, include));
  }

  /** Drops everything. */
  dropAll(): void {
    this.#kept.clear();
    this.#targetTexts.drop();
    for (const making of this.#making.values()) making.isDropped = true;
  }

  #drop(key: string): void {
    this.#kept.delete(key);
    const making = this.#making.get(key);
    if (making !== undefined) making.isDropped = true;
  }

  /**
   * Renders one list at a time per shop and `include`. A request that arrives during a rendering
   * shares it if the result would also be valid from the cache. Otherwise it waits for its end and
   * shares the next one, which starts after the request arrived.
   */
  async #make(key: string, shopId: string, include: BoostInclude): Promise<BoostAnswer> {
    const earlier = this.#making.get(key);
    if (earlier !== undefined) {
      const list = await earlier.list.catch(() => null);
      // If the earlier rendering failed, its error belongs to the request that started it; try
      // again.
      const isShared = list !== null && !earlier.isDropped && this.#channel.isProven();
      const answer = isShared ? this.#answerAt(this.#clock.now().getTime(), list) : null;
      if (answer !== null) return answer;
    }
    const making = this.#making.get(key) ?? this.#begin(key, shopId, include);
    return (await making.list).answer;
  }

  #begin(key: string, shopId: string, include: BoostInclude): Making {
    const isProven = this.#channel.isProven();
    const targets = { texts: this.#targetTexts, isTrusted: isProven };
    const list = makeBoostList(this.#db, shopId, include, this.#clock.now(), targets);
    const making: Making = { list, isDropped: false };
    this.#making.set(key, making);
    const settle = (made: BoostList | null): void => {
      this.#making.delete(key);
      if (made !== null && isProven && !making.isDropped) this.#kept.set(key, made);
    };
    list.then(settle, () => settle(null));
    return making;
  }
}

/** A list is valid from its own instant on; the clock may have been set back. */
function holds({ madeAtMs, changesAtMs }: BoostList, nowMs: number): boolean {
  return nowMs >= madeAtMs && nowMs < changesAtMs;
}

/** Whether `generatedAt` may be this instant. */
function isYoung(atMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < DATE_MS_MAX;
}

/** The key of the common list is the shop id alone, so that no string is built per request. */
function keyOf(shopId: string, include: BoostInclude): string {
  return include === 'open' ? shopId : `${include} ${shopId}`;
}
