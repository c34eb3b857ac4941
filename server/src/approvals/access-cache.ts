import type { Clock } from '../base/clock.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import { type Access, readAccess } from './access.ts';
import { GenerationalCache } from './generational-cache.ts';

/**
 * All of any 100,000 tokens in rotation are found. A token takes 0.6 kB if its shop has ten,
 * 1.8 kB if it is the shop's only one. With fewer, a larger service would query the database on
 * each request.
 */
const TOKENS_MAX = 200_000;

/**
 * Only access that lets calls through is cached: a refusal is always read from the database, so a
 * new approval, connection or permission works at once, on every node.
 *
 * A revocation takes effect after at most 1,000 ms: an entry is served only while the channel's
 * heartbeat proves that every earlier notification has arrived and dropped its entries.
 */
export class AccessCache {
  readonly #db: Database;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #entries = new GenerationalCache(TOKENS_MAX);
  /** Access read before a drop may be stale. */
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

  /** Undefined when the token is unknown, expired or revoked (401). */
  find(tokenHash: string): Access | undefined | Promise<Access | undefined> {
    const now = this.#clock.now();
    const isProven = this.#channel.isLive();
    const cached = isProven ? this.#entries.get(tokenHash) : undefined;
    // No promise for a cached entry: this saves the hot path an event-loop turn.
    if (cached !== undefined && cached.expiresAt.getTime() > now.getTime()) return cached;
    return this.#read(tokenHash, now, isProven);
  }

  dropShop(shopId: string): void {
    this.#drops++;
    this.#entries.deleteShop(shopId);
  }

  /** Call it when notifications may have been missed. */
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

/** Only scope, permission or the request itself can still refuse a call. */
function isUsable(access: Access): boolean {
  return (
    !access.isApprovalEnded &&
    !access.app.isRemoved &&
    access.app.isEnabled &&
    access.member?.isActive === true &&
    access.connection !== null
  );
}
