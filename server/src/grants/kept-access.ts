import { isDeepStrictEqual } from 'node:util';
import type { Access } from './access.ts';

/** Different lists of scopes and of permissions that are kept once: there are few words to make them of. */
const LISTS_MAX = 1_000;

/** What is kept of a shop: the sign that its tokens were dropped, and an access whose parts the next ones share. */
interface KeptShop {
  /** True once its tokens must not be served any more. */
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
 * Access kept by token, in two generations: what is asked for moves into the younger one, and when that is full it becomes
 * the elder, whose rest is forgotten. So the tokens that are kept are those that were asked for last, at a cost that does
 * not grow with their number: a map of the order of insertion has to walk over what was removed at its front.
 */
export class KeptAccess {
  readonly #generationTokensMax: number;
  readonly #lists = new Map<string, readonly string[]>();
  #younger = newGeneration();
  #elder = newGeneration();

  /** `tokensMax`: all that are kept; half as many in turn are always found. */
  constructor(tokensMax: number) {
    this.#generationTokensMax = Math.ceil(tokensMax / 2);
  }

  /** What is kept of a token, by its hash. */
  get(tokenHash: string): Access | undefined {
    const young = this.#younger.tokens.get(tokenHash);
    if (young !== undefined) return young.shop.isDropped ? undefined : young.access;
    const old = this.#elder.tokens.get(tokenHash);
    if (old === undefined || old.shop.isDropped) return undefined;
    this.#put(tokenHash, old.access);
    return old.access;
  }

  /** Keeps the access of a token, and shares with others what is equal: most of it is the shop's, the app's, everybody's. */
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

  /** Forgets a shop's tokens, however many: they are told by their shop. */
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

/** The other one where both are equal. */
function shared<Part>(part: Part, other: Part): Part {
  return isDeepStrictEqual(part, other) ? other : part;
}
