import type { Clock } from '../base/clock.ts';
import { hashSecret, shopOfSecret } from '../base/secrets.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import { type Access, readAccess } from './access.ts';
import { GenerationalCache } from './generational-cache.ts';

// No token is evicted while at most half of this number are in use. A token takes 0.6 kB if its
// shop has ten tokens, and 1.8 kB if it is the shop's only token. With a lower limit, a larger
// service would query the database on each request.
const TOKENS_MAX = 200_000;

/**
 * Caches access by token. Access that refuses calls is not cached, so that a new approval,
 * connection or permission takes effect immediately on every node. A revocation takes effect after
 * at most 1,000 ms: an entry is served only while the channel's heartbeat proves that every earlier
 * notification has arrived and dropped its entries.
 */
export class AccessCache {
  readonly #db: Database;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #entries = new GenerationalCache(TOKENS_MAX);
  /** Counts the drops. Access that was read before a drop may be stale, so it is not cached. */
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

  /** Finds the access of a token. Undefined if the token is unknown, expired or revoked (401). */
  find(token: string): Access | undefined | Promise<Access | undefined> {
    const tokenHash = hashSecret(token);
    const now = this.#clock.now();
    const isProven = this.#channel.isLive();
    const cached = isProven ? this.#entries.get(tokenHash) : undefined;
    // A cached entry is returned without a promise, which saves an event-loop turn on each request.
    if (cached !== undefined && cached.expiresAt.getTime() > now.getTime()) return cached;
    return this.#read(token, tokenHash, now, isProven);
  }

  dropShop(shopId: string): void {
    this.#drops++;
    this.#entries.deleteShop(shopId);
  }

  dropAll(): void {
    this.#drops++;
    this.#entries.clear();
  }

  async #read(
    token: string,
    hash: string,
    now: Date,
    isProven: boolean,
  ): Promise<Access | undefined> {
    const dropsBefore = this.#drops;
    const shopId = shopOfSecret(token);
    const access =
      shopId === undefined ? undefined : await readAccess(this.#db, { shopId, hash }, now);
    if (access === undefined) this.#entries.delete(hash);
    else if (isProven && this.#drops === dropsBefore && isUsable(access)) {
      this.#entries.set(hash, access);
    }
    return access;
  }
}

function isUsable(access: Access): boolean {
  return (
    !access.isApprovalEnded &&
    !access.app.isRemoved &&
    access.app.isEnabled &&
    access.member?.isActive === true &&
    access.connection !== null
  );
}
