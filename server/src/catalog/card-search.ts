import { IndexThreadEnded, type IndexThread } from '../card-search/index-thread.ts';
import { FairLimiter, type LimiterOptions } from '../base/fair-limiter.ts';
import type { Database } from '../database/database.ts';
import type { Card } from './card.ts';
import type { FollowedIndex } from './followed-index.ts';
import { parseIdentifier } from './identifier.ts';
import { IndexKeeper, type IndexKeeperOptions, type IndexState } from './index-keeper.ts';
import { readActiveCards, readCardIdsByJan } from './read-entries.ts';

/** More than one page is requested first, because some cards may have become inactive. */
const REQUESTED_PAGES = 2;
/**
 * A second request asks for this many pages if the first did not fill the page. The page stays
 * short only if more than 175 of the best cards became inactive within 2 s.
 */
const REQUESTED_PAGES_MAX = 8;

/**
 * The index answers one search at a time, so that a new search waits for one other at most, and the
 * next is chosen by shop, then by app or member. A shop has as many places as the rate limit allows
 * requests at once: 1,000 of the slowest searches among 500,000 cards take 20 s (decision 0090).
 */
const SEARCH_BOUNDS: LimiterOptions = {
  bounds: [
    { running: 1, waiting: 2_000 },
    { running: 1, waiting: 1_000 },
  ],
  waitMsMax: 30_000,
};

/** Who searches: the groups that take turns, and the signal of the request. */
export interface Searcher {
  readonly path: readonly [shopId: string, caller: string];
  readonly signal?: AbortSignal | undefined;
}

/** The kind is `unavailable` before the first index is built, and while the queue of searches is full. */
export type CardSearchResult =
  | { readonly kind: 'found'; readonly cards: readonly Card[] }
  | { readonly kind: 'unavailable' };

export interface CardSearchOptions extends IndexKeeperOptions {
  readonly onSearched?: ((milliseconds: number) => void) | undefined;
}

/** The index only finds ids: the cards are read from the database, so that no result is stale. */
export class CardSearch implements AsyncDisposable {
  readonly #db: Database;
  readonly #indexKeeper: IndexKeeper;
  readonly #onSearched: (milliseconds: number) => void;
  readonly #limiter = new FairLimiter(SEARCH_BOUNDS);

  constructor({ onSearched, ...options }: CardSearchOptions) {
    this.#db = options.db;
    this.#indexKeeper = new IndexKeeper(options);
    this.#onSearched = onSearched ?? ((): void => undefined);
  }

  get isReady(): boolean {
    return this.#indexKeeper.isReady;
  }

  get state(): IndexState {
    return this.#indexKeeper.state;
  }

  async whenReady(): Promise<void> {
    await this.#indexKeeper.whenReady();
  }

  /** Resolves when every card now in the database can be found, or when the search is closed. */
  async whenCurrent(): Promise<void> {
    await this.#indexKeeper.whenCurrent();
  }

  /** Returns at most `limit` active cards that match a text, best first (spec 4.8). */
  async find(text: string, limit: number, searcher: Searcher): Promise<CardSearchResult> {
    const startedAtMs = performance.now();
    try {
      const { index } = this.#indexKeeper;
      const result = await this.#find(index, text, limit, searcher);
      if (result.kind === 'found') return result;
      // A new index may have replaced this one during the search.
      const present = this.#indexKeeper.index;
      return present === null || present === index
        ? result
        : await this.#find(present, text, limit, searcher);
    } finally {
      this.#onSearched(performance.now() - startedAtMs);
    }
  }

  async close(): Promise<void> {
    await this.#indexKeeper.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #find(
    index: FollowedIndex | null,
    text: string,
    limit: number,
    searcher: Searcher,
  ): Promise<CardSearchResult> {
    if (index === null && !this.#indexKeeper.isEmpty) return { kind: 'unavailable' };
    const identifier = parseIdentifier(text);
    if (identifier?.kind === 'id') {
      return { kind: 'found', cards: await readActiveCards(this.#db, [identifier.id]) };
    }
    const ofJan =
      identifier === null ? [] : await readCardIdsByJan(this.#db, identifier.codes, limit);
    if (ofJan.length > 0) {
      return { kind: 'found', cards: await readActiveCards(this.#db, ofJan) };
    }
    if (index === null) return { kind: 'found', cards: [] };
    try {
      return await this.#findByIndex(index.thread, text, limit, searcher);
    } catch (error) {
      if (error instanceof IndexThreadEnded) return { kind: 'unavailable' };
      throw error;
    }
  }

  async #findByIndex(
    thread: IndexThread,
    text: string,
    limit: number,
    { path, signal }: Searcher,
  ): Promise<CardSearchResult> {
    const cards: Card[] = [];
    // The index may change between the two calls, so the second list may lack cards of the first.
    const read = new Set<string>();
    for (const pages of [REQUESTED_PAGES, REQUESTED_PAGES_MAX]) {
      const find = async (): Promise<readonly string[] | null> =>
        await thread.find(text, limit * pages);
      const ids = (await this.#limiter.run(path, find, signal))?.value ?? null;
      if (ids === null) return { kind: 'unavailable' };
      const unread = ids.filter((id) => !read.has(id));
      for (let at = 0; cards.length < limit && at < unread.length; at += limit) {
        const next = unread.slice(at, at + limit);
        for (const id of next) read.add(id);
        cards.push(...(await readActiveCards(this.#db, next)));
      }
      if (cards.length >= limit || ids.length < limit * pages) break;
    }
    return { kind: 'found', cards: cards.slice(0, limit) };
  }
}
