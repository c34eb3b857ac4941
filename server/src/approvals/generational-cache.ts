import { isDeepStrictEqual } from 'node:util';
import type { Access } from './access.ts';

const LISTS_MAX = 1_000;

/** The state that a shop's entries share. Later entries reuse equal parts of `newest`. */
interface CachedShop {
  /** True if the shop's tokens must no longer be served. */
  isDropped: boolean;
  newest: Access;
}

interface CachedToken {
  readonly access: Access;
  readonly shop: CachedShop;
}

interface Generation {
  readonly tokens: Map<string, CachedToken>;
  readonly shops: Map<string, CachedShop>;
}

/**
 * Caches access by token in two generations. Reading an entry moves it to the newer one. When that
 * is full, the older one is dropped, so recently used tokens stay. Each operation takes constant
 * time; evicting the first entry of a single Map would scan the deleted entries before it.
 */
export class GenerationalCache {
  readonly #generationTokensMax: number;
  readonly #lists = new Map<string, readonly string[]>();
  #newer = newGeneration();
  #older = newGeneration();

  /** No entry is evicted while at most half of `tokensMax` are in use. */
  constructor(tokensMax: number) {
    this.#generationTokensMax = Math.ceil(tokensMax / 2);
  }

  get(tokenHash: string): Access | undefined {
    const newer = this.#newer.tokens.get(tokenHash);
    if (newer !== undefined) return newer.shop.isDropped ? undefined : newer.access;
    const older = this.#older.tokens.get(tokenHash);
    if (older === undefined || older.shop.isDropped) return undefined;
    this.#put(tokenHash, older.access);
    return older.access;
  }

  /** Adds an entry. Entries share the parts that are equal for a shop, an app or all tokens. */
  set(tokenHash: string, access: Access): void {
    const { shopId } = access;
    const shop = this.#newer.shops.get(shopId) ?? this.#older.shops.get(shopId);
    const other = shop?.newest ?? access;
    const { app, member } = access;
    this.#put(tokenHash, {
      ...access,
      shopId: other.shopId,
      clientId: reuseIfEqual(access.clientId, other.clientId),
      accountId: reuseIfEqual(access.accountId, other.accountId),
      resource: reuseIfEqual(access.resource, other.resource),
      scopes: this.#internList(access.scopes),
      app: reuseIfEqual({ ...app, scopes: this.#internList(app.scopes) }, other.app),
      member:
        member === null
          ? null
          : reuseIfEqual(
              { ...member, permissions: this.#internList(member.permissions) },
              other.member,
            ),
      connection: reuseIfEqual(access.connection, other.connection),
    });
  }

  delete(tokenHash: string): void {
    this.#newer.tokens.delete(tokenHash);
    this.#older.tokens.delete(tokenHash);
  }

  /** Drops the entries of a shop in constant time, because they share their state. */
  deleteShop(shopId: string): void {
    for (const { shops } of [this.#newer, this.#older]) {
      const shop = shops.get(shopId);
      if (shop !== undefined) shop.isDropped = true;
      shops.delete(shopId);
    }
  }

  clear(): void {
    this.#newer = newGeneration();
    this.#older = newGeneration();
  }

  #internList(list: readonly string[]): readonly string[] {
    const text = list.join(' ');
    const existing = this.#lists.get(text);
    if (existing !== undefined) return existing;
    if (this.#lists.size < LISTS_MAX) this.#lists.set(text, list);
    return list;
  }

  #put(tokenHash: string, access: Access): void {
    if (this.#newer.tokens.size >= this.#generationTokensMax) {
      this.#older = this.#newer;
      this.#newer = newGeneration();
    }
    const { tokens, shops } = this.#newer;
    const { shopId } = access;
    let shop = shops.get(shopId);
    if (shop === undefined) {
      shop = { isDropped: false, newest: access };
      shops.set(shopId, shop);
    } else {
      shop.newest = access;
    }
    tokens.set(tokenHash, { access, shop });
  }
}

function newGeneration(): Generation {
  return { tokens: new Map(), shops: new Map() };
}

function reuseIfEqual<Part>(part: Part, other: Part): Part {
  return isDeepStrictEqual(part, other) ? other : part;
}
