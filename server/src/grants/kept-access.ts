import { isDeepStrictEqual } from 'node:util';
import type { Access } from './access.ts';

/** Distinct lists of scopes and permissions that are shared; only a few exist. */
const LISTS_MAX = 1_000;

/**
 * The shared state of a shop's entries: whether they were dropped, and the newest access, so that
 * later ones reuse its equal parts.
 */
interface KeptShop {
  /** True once its tokens must not be served. */
  isDropped: boolean;
  newest: Access;
}

interface Kept {
  readonly access: Access;
  readonly shop: KeptShop;
}

interface Generation {
  readonly tokens: Map<string, Kept>;
  /** The shop of every token of the generation. */
  readonly shops: Map<string, KeptShop>;
}

/**
 * A cache of access by token in two generations. An entry that is read moves to the younger
 * generation; when that is full, it becomes the elder one, and the previous elder one is dropped.
 * So the most recently used tokens stay, at a constant cost per access: evicting from the front of
 * a Map would scan the deleted entries there.
 */
export class KeptAccess {
  readonly #generationTokensMax: number;
  readonly #lists = new Map<string, readonly string[]>();
  #younger = newGeneration();
  #elder = newGeneration();

  /** `tokensMax` is the total; half as many tokens used in rotation are always found. */
  constructor(tokensMax: number) {
    this.#generationTokensMax = Math.ceil(tokensMax / 2);
  }

  get(tokenHash: string): Access | undefined {
    const young = this.#younger.tokens.get(tokenHash);
    if (young !== undefined) return young.shop.isDropped ? undefined : young.access;
    const old = this.#elder.tokens.get(tokenHash);
    if (old === undefined || old.shop.isDropped) return undefined;
    this.#put(tokenHash, old.access);
    return old.access;
  }

  /**
   * Caches the access of a token. Equal parts are shared with other entries, because most of it is
   * the same for the shop, the app or all tokens.
   */
  set(tokenHash: string, access: Access): void {
    const { shopId } = access;
    const shop = this.#younger.shops.get(shopId) ?? this.#elder.shops.get(shopId);
    const other = shop?.newest ?? access;
    const { app, member } = access;
    this.#put(tokenHash, {
      ...access,
      shopId: other.shopId,
      clientId: shared(access.clientId, other.clientId),
      accountId: shared(access.accountId, other.accountId),
      resource: shared(access.resource, other.resource),
      scopes: this.#listOf(access.scopes),
      app: shared({ ...app, scopes: this.#listOf(app.scopes) }, other.app),
      member:
        member === null
          ? null
          : shared({ ...member, permissions: this.#listOf(member.permissions) }, other.member),
      connection: shared(access.connection, other.connection),
    });
  }

  delete(tokenHash: string): void {
    this.#younger.tokens.delete(tokenHash);
    this.#elder.tokens.delete(tokenHash);
  }

  /** Drops all tokens of a shop through their shared state, at a constant cost. */
  deleteShop(shopId: string): void {
    for (const { shops } of [this.#younger, this.#elder]) {
      const shop = shops.get(shopId);
      if (shop !== undefined) shop.isDropped = true;
      shops.delete(shopId);
    }
  }

  clear(): void {
    this.#younger = newGeneration();
    this.#elder = newGeneration();
  }

  #listOf(list: readonly string[]): readonly string[] {
    const text = list.join(' ');
    const kept = this.#lists.get(text);
    if (kept !== undefined) return kept;
    if (this.#lists.size < LISTS_MAX) this.#lists.set(text, list);
    return list;
  }

  #put(tokenHash: string, access: Access): void {
    if (this.#younger.tokens.size >= this.#generationTokensMax) {
      this.#elder = this.#younger;
      this.#younger = newGeneration();
    }
    const { tokens, shops } = this.#younger;
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

/** Returns `other` if both are equal. */
function shared<Part>(part: Part, other: Part): Part {
  return isDeepStrictEqual(part, other) ? other : part;
}
