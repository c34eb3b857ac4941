import type { Clock } from '../base/clock.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import { type Access, readAccess } from './access.ts';
import { KeptAccess } from './kept-access.ts';

/**
 * Tokens kept at most; any 100,000 that are used in turn are all found. A token has 0.6 kB where its shop has ten, 1.8 kB
 * where it is the shop's only one: 100,000 take 60 to 180 MB. With fewer every request of a larger service would look its
 * token up.
 */
const TOKENS_MAX = 200_000;

/**
 * What access tokens may do, kept per token. Only what lets a call through is kept: a refusal is always asked of the
 * database, so an approval, a connection or a permission that was just given works at once, on every node.
 *
 * Taken away is seen at most 1,000 ms later: an entry is served only while the channel is proven (its heartbeat came
 * back, so every earlier notification has arrived and has dropped what it was about). What this node takes away itself
 * is seen at once.
 */
export class AccessCache {
  readonly #db: Database;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #kept = new KeptAccess(TOKENS_MAX);
  /** Counts what was dropped: an answer that was read meanwhile may be older than the news. */
  #drops = 0;

  constructor(db: Database, channel: Channel, clock: Clock) {
    this.#db = db;
    this.#channel = channel;
    this.#clock = clock;
    db.onAnnounced((topic, shopId) => {
      if (topic === 'access') this.dropShop(shopId);
    });
    channel.subscribe('access', (shopId) => this.dropShop(shopId));
    channel.onReset(() => this.dropAll());
  }

  /** The access of a token by its SHA-256; undefined when the token is unknown, expired or revoked (401). */
  find(tokenHash: string): Access | undefined | Promise<Access | undefined> {
    const now = this.#clock.now();
    const isProven = this.#channel.isProven();
    const kept = isProven ? this.#kept.get(tokenHash) : undefined;
    // An answer without a promise where there is one: the hot path saves a turn of the event loop.
    if (kept !== undefined && kept.expiresAt.getTime() > now.getTime()) return kept;
    return this.#read(tokenHash, now, isProven);
  }

  /** Forgets a shop's tokens. */
  dropShop(shopId: string): void {
    this.#drops++;
    this.#kept.deleteShop(shopId);
  }

  /** Forgets everything: notifications may have been missed. */
  dropAll(): void {
    this.#drops++;
    this.#kept.clear();
  }

  async #read(tokenHash: string, now: Date, isProven: boolean): Promise<Access | undefined> {
    const dropsBefore = this.#drops;
    const access = await readAccess(this.#db, tokenHash, now);
    if (access === undefined) this.#kept.delete(tokenHash);
    else if (isProven && this.#drops === dropsBefore && isUsable(access)) {
      this.#kept.set(tokenHash, access);
    }
    return access;
  }
}

/** True when nothing but scope, permission and the request itself can still refuse a call. */
function isUsable(access: Access): boolean {
  return (
    !access.isApprovalEnded &&
    !access.app.isRemoved &&
    access.app.isEnabled &&
    access.member?.isActive === true &&
    access.connection !== null
  );
}
