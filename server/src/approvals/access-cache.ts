import type { Clock } from '../base/clock.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import { type Access, readAccess } from './access.ts';
import { GenerationalCache } from './generational-cache.ts';

/**
 * Maximum cached tokens; of any 100,000 tokens used in rotation all are found. A token takes 0.6 kB
 * if its shop has ten, 1.8 kB if it is the shop's only one, so 100,000 take 60 to 180 MB. With a
 * smaller cache, a larger service would query the database on each request.
 */
const TOKENS_MAX = 200_000;

/**
 * Caches the access of each token. Only access that lets calls through is cached: a refusal is
 * always read from the database, so a new approval, connection or permission works at once, on
 * every node.
 *
 * A revocation takes effect after at most 1,000 ms: an entry is served only while the channel's
 * heartbeat proves that every earlier notification has arrived and dropped its entries. Revocations
 * by this node take effect at once.
 */
export class AccessCache {
  readonly #db: Database;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #entries = new GenerationalCache(TOKENS_MAX);
  /** Counts drops, because access read before a drop may be stale. */
  #drops = 0;

  constructor(db: Database, channel: Channel, clock: Clock) {
    this.#db = db;
    this.#channel = channel;
    this.#clock = clock;
    db.onAnnouncement((topic, shopId) => {
      if (topic === 'access') this.dropShop(shopId);
    });
    channel.subscribe('access', (shopId) => this.dropShop(shopId));
    channel.onReset(() => this.dropAll());
  }

  /**
   * Finds the access of a token by its SHA-256; undefined when the token is unknown, expired or
   * revoked (401).
   */
  find(tokenHash: string): Access | undefined | Promise<Access | undefined> {
    const now = this.#clock.now();
    const isProven = this.#channel.isLive();
    const cached = isProven ? this.#entries.get(tokenHash) : undefined;
    // Return a cached entry without a promise: this saves the hot path an event-loop turn.
    if (cached !== undefined && cached.expiresAt.getTime() > now.getTime()) return cached;
    return this.#read(tokenHash, now, isProven);
  }

  dropShop(shopId: string): void {
    this.#drops++;
    this.#entries.deleteShop(shopId);
  }

  /** Drops all entries because notifications may have been missed. */
  dropAll(): void {
    this.#drops++;
    this.#entries.clear();
  }

  async #read(tokenHash: string, now: Date, isProven: boolean): Promise<Access | undefined> {
    const dropsBefore = this.#drops;
    const access = await readAccess(this.#db, tokenHash, now);
    if (access === undefined) this.#entries.delete(tokenHash);
    else if (isProven && this.#drops === dropsBefore && isUsable(access)) {
      this.#entries.set(tokenHash, access);
    }
    return access;
  }
}

/** True if only scope, permission or the request itself can still refuse a call. */
function isUsable(access: Access): boolean {
  return (
    !access.isApprovalEnded &&
    !access.app.isRemoved &&
    access.app.isEnabled &&
    access.member?.isActive === true &&
    access.connection !== null
  );
}
