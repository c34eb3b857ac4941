import { totalmem } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import { type BoostAnswer, type BoostList, endOf, makeBoostList } from './boost-list.ts';
import { BOOST_INCLUDES, type BoostInclude } from './boost-status.ts';
import { TargetTexts } from './target-texts.ts';

/** What is kept at most. */
export interface KeepingBounds {
  readonly listsMax: number;
  readonly bytesMax: number;
}

const MIB = 1024 * 1024;
/** Room of lists at least: 1,500 of the usual 41 kB; a shop at its bound has one of about 1.6 MB. */
const LIST_BYTES_LEAST = 64 * MIB;
/** And at most: more than 10,000 shops whose lists are asked for in turn. */
const LIST_BYTES_MOST = 512 * MIB;
/** What lists may take of the memory that the process has: an eighth leaves room for everything else. */
const MEMORY_SHARE = 1 / 8;

/** Two lists for each of 20,000 shops; a list of nothing has 60 bytes and some 300 of its entry. */
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

/** How old `generatedAt` may be. An older list is dated anew where it is known to be still the same. */
const DATE_MS_MAX = 1_000;
/**
 * How long a list is dated anew before it is read again. What the service writes drops it; this is for what somebody
 * writes into the tables by hand, and one reading a minute costs nothing.
 */
const LIST_MS_MAX = 60_000;
/**
 * Between two lists that are read again for that reason: ten a second, each under a millisecond. The lists of 600 shops have
 * their minute; those of 10,000, which would cost an eighth of a core, come in turn in 17 minutes.
 */
const READ_AGAIN_MS = 100;

/** A list that is being made. */
interface Making {
  readonly list: Promise<BoostList>;
  /** True when what it reads may be older than the news. */
  isDropped: boolean;
}

/** The end of the lists that are of an instant until which everything was heard. */
interface ProvenEnd {
  readonly bytes: Buffer;
  /** Milliseconds of the clock. */
  readonly atMs: number;
}

/**
 * The lists of open boosts as ready bytes, kept for each shop and `include`. A list is sent again only while it holds:
 * to the very millisecond at which a boost enters or leaves it, and while the channel is proven (its heartbeat came back,
 * so every earlier notification has arrived and has dropped what it was about). What this process itself writes is seen
 * by its next request. A list that is a second old is dated anew with the instant at which that heartbeat was sent:
 * nothing that was committed until then has changed it. The bytes before the date are never copied (decision 0013).
 */
export class BoostLists {
  readonly #db: Database;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #kept: LRUCache<string, BoostList>;
  readonly #making = new Map<string, Making>();
  readonly #targetTexts = new TargetTexts();
  #provenEnd: ProvenEnd | null = null;
  /** Milliseconds of the clock: when a list was read again last for its age alone. */
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
      // Names of cards and grades stand in the lists, and whose is not said.
      else if (topic === 'catalog') this.dropAll();
    };
    db.onAnnounced(hear);
    channel.subscribe('boosts', (shopId) => hear('boosts', shopId));
    channel.subscribe('catalog', (position) => hear('catalog', position));
    channel.onReset(() => this.dropAll());
  }

  /** The body of GET /purchase-boosts. Without a promise where there is a list: the hot path waits for nothing. */
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

  /** The list as of the instant of its making, or as of a newer one at which it was known to be right; else null. */
  #answerAt(nowMs: number, list: BoostList): BoostAnswer | null {
    if (!holds(list, nowMs)) return null;
    if (nowMs - list.madeAtMs < DATE_MS_MAX) return list.answer;
    if (nowMs - list.madeAtMs >= LIST_MS_MAX && this.#mayReadAgain(nowMs)) return null;
    // Newer than the list, which is a second old.
    const end = this.#provenEndAt(nowMs);
    return end === null ? null : [list.answer[0], end];
  }

  /** One end for all lists, so that dating one costs nothing; null when the newest proof is too long ago. */
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
    // Less than nothing: the clock has gone back.
    if (sinceMs >= 0 && sinceMs < READ_AGAIN_MS) return false;
    this.#readAgainAtMs = nowMs;
    return true;
  }

  /** Forgets a shop's lists, those that are being made too. */
  dropShop(shopId: string): void {
    for (const include of BOOST_INCLUDES) this.#drop(keyOf(shopId, include));
  }

  /** Forgets everything. */
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
   * One making at a time for each shop and `include`. Whoever comes while one is under way shares it where it would
   * also be shared from the keeping; else they wait for its end and share the next one, which began after they came.
   */
  async #make(key: string, shopId: string, include: BoostInclude): Promise<BoostAnswer> {
    const earlier = this.#making.get(key);
    if (earlier !== undefined) {
      const list = await earlier.list.catch(() => null);
      // One that failed was another's; the next is tried.
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

/** The clock may have gone back too: a list holds from the instant on that it is of. */
function holds({ madeAtMs, changesAtMs }: BoostList, nowMs: number): boolean {
  return nowMs >= madeAtMs && nowMs < changesAtMs;
}

/** Whether `generatedAt` may be of this instant. */
function isYoung(atMs: number, nowMs: number): boolean {
  return nowMs >= atMs && nowMs - atMs < DATE_MS_MAX;
}

/** The usual list has the id of its shop itself, so that no text is made for each request. */
function keyOf(shopId: string, include: BoostInclude): string {
  return include === 'open' ? shopId : `${include} ${shopId}`;
}
