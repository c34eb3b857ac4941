import { type Periodic, periodically } from '../../base/periodic.ts';
import type { Channel } from '../../database/channel.ts';
import type { Database } from '../../database/database.ts';
import type { Card } from '../card.ts';
import { readActiveCards, readCardIdsByJan } from '../view.ts';
import { FollowedIndex } from './followed-index.ts';
import { parseIdentifier } from './identifier.ts';
import { type CatalogHead, readCatalogHead } from './index-source.ts';
import { IndexGone, type IndexThread } from './index-thread.ts';

/** A notification that is lost leaves an index behind for so long. A look costs one short statement. */
const LOOK_EVERY_MS = 1_000;
/**
 * Shortest time between two refreshes. An import announces 30 batches a second: taken together they cost the thread a
 * fifth. A lone change is taken in at once.
 */
const REFRESH_PAUSE_MS = 250;
/** Pause before an index is built again after the first failure; each further one doubles it. */
const RETRY_PAUSE_MS = 250;
const RETRY_PAUSE_MS_MAX = 60_000;
/** An index that lived for so long was no failure: the next pause is the first again. */
const STEADY_MS = 60_000;
/** Looks at the index that answers before another takes its place: each takes in less than the one before. */
const CATCH_UP_TURNS_MAX = 100;
/** Ids that the index is asked for at first, in pages: some cards may have gone inactive a moment ago. */
const ASKED_PAGES = 2;
/** And when that was not enough. A page stays short only when more than 175 of the best have gone within 2 s. */
const ASKED_PAGES_MAX = 8;

/** What a search finds. `unavailable`: there is no index now, or too many searches wait for it. */
export type CardSearchResult =
  | { readonly kind: 'found'; readonly cards: readonly Card[] }
  | { readonly kind: 'unavailable' };

/** How a search index does, for metrics. */
export interface CardSearchState {
  /** Cards of the base. */
  readonly cards: number;
  /** Cards that have changed since the base was built. */
  readonly changedCards: number;
  /** Seconds since the index was last seen to hold all that the database holds. */
  readonly lagSeconds: number;
  /** Indexes that were built. */
  readonly builds: number;
  /** Builds that failed, and threads that ended by themselves. */
  readonly failures: number;
}

export interface CardSearchOptions {
  readonly db: Database;
  readonly channel: Channel;
  /** Told of faults that no request sees. */
  readonly onFault: (error: unknown) => void;
  /** Told how long each search took, in milliseconds. */
  readonly onSearched?: ((milliseconds: number) => void) | undefined;
}

/**
 * Searches the catalog. The index is built in a thread, follows the catalog on every node, and only says which cards
 * may be meant: the cards themselves are read from the database, so an inactive one is never shown and none is stale.
 * An empty catalog has no index: the first is built when the first card comes.
 */
export class CardSearch implements AsyncDisposable {
  readonly #db: Database;
  readonly #onFault: (error: unknown) => void;
  readonly #onSearched: (milliseconds: number) => void;
  readonly #looking: Periodic;
  readonly #ready = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  /** Resolves at the end of the look that is under way or comes next. */
  #looked = Promise.withResolvers<void>();
  #index: FollowedIndex | null = null;
  #building: Promise<void> | null = null;
  readonly #retiring = new Set<Promise<void>>();
  /** True until the first card comes: nothing can be found, and that is no fault. */
  #isEmpty = false;
  #isReady = false;
  #caughtUpAtMs = performance.now();
  #failuresInARow = 0;
  #retryAtMs = 0;
  #builds = 0;
  #failures = 0;

  /** Begins to build the index at once; `whenReady` tells when it answers. */
  constructor({ db, channel, onFault, onSearched }: CardSearchOptions) {
    this.#db = db;
    this.#onFault = onFault;
    this.#onSearched = onSearched ?? ((): void => undefined);
    const look = async (signal: AbortSignal): Promise<void> => {
      await this.#look(signal).finally(() => this.#tellLooked());
    };
    this.#looking = periodically(LOOK_EVERY_MS, look, onFault);
    const wake = (): void => this.#looking.wake();
    db.onAnnounced((topic) => {
      if (topic === 'catalog') wake();
    });
    channel.subscribe('catalog', wake);
    channel.onReset(wake);
    wake();
  }

  /** True once the first index has been built, or the catalog was seen to be empty. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves when `isReady`; at closing too. */
  async whenReady(): Promise<void> {
    await this.#ready.promise;
  }

  /** Resolves when everything can be found that the database holds now; at closing too. */
  async whenCurrent(): Promise<void> {
    await this.whenReady();
    const head = await readCatalogHead(this.#db, null);
    const isCurrent = (): boolean =>
      this.#index === null ? !head.hasCards : this.#index.position >= head.position;
    while (!isCurrent() && !this.#closing.signal.aborted) await this.#looked.promise;
  }

  get state(): CardSearchState {
    const size = this.#index?.size;
    return {
      cards: size?.base ?? 0,
      changedCards: size?.layered ?? 0,
      lagSeconds: (performance.now() - this.#caughtUpAtMs) / 1_000,
      builds: this.#builds,
      failures: this.#failures,
    };
  }

  /** The active cards that a text means, at most `limit`, best first (specification 4.8). */
  async find(text: string, limit: number): Promise<CardSearchResult> {
    const startedAtMs = performance.now();
    try {
      const index = this.#index;
      const result = await this.#find(index, text, limit);
      // Another index took its place while this search was on its way.
      const isReplaced = this.#index !== null && this.#index !== index;
      if (result.kind === 'found' || !isReplaced) return result;
      return await this.#find(this.#index, text, limit);
    } finally {
      this.#onSearched(performance.now() - startedAtMs);
    }
  }

  /** Ends the threads. Searches that wait are `unavailable`. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#ready.resolve();
    this.#tellLooked();
    const index = this.#index;
    this.#index = null;
    await Promise.all([this.#looking.stop(), this.#building, index?.thread.close()]);
    await Promise.all(this.#retiring);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #find(index: FollowedIndex | null, text: string, limit: number): Promise<CardSearchResult> {
    if (index === null && !this.#isEmpty) return { kind: 'unavailable' };
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
      return await this.#findByIndex(index.thread, text, limit);
    } catch (error) {
      if (error instanceof IndexGone) return { kind: 'unavailable' };
      throw error;
    }
  }

  async #findByIndex(thread: IndexThread, text: string, limit: number): Promise<CardSearchResult> {
    const cards: Card[] = [];
    let read = 0;
    for (const pages of [ASKED_PAGES, ASKED_PAGES_MAX]) {
      const ids = await thread.find(text, limit * pages);
      if (ids === null) return { kind: 'unavailable' };
      while (cards.length < limit && read < ids.length) {
        const next = ids.slice(read, read + limit);
        cards.push(...(await readActiveCards(this.#db, next)));
        read += next.length;
      }
      if (cards.length >= limit || ids.length < limit * pages) break;
    }
    return { kind: 'found', cards: cards.slice(0, limit) };
  }

  /** Looks where the catalog stands and brings the index there, or has one built. */
  async #look(signal: AbortSignal): Promise<void> {
    const askedAtMs = performance.now();
    const index = this.#index;
    const head = await readCatalogHead(this.#db, index?.seen ?? null);
    if (index === null) {
      // Without a card, only an index that was lost is still owed.
      if (head.hasCards || this.#builds > 0) this.#beginBuild();
      else if (this.#building === null) {
        this.#isEmpty = true;
        this.#caughtUpAtMs = askedAtMs;
        this.#becomeReady();
      }
      return;
    }
    if (index.isPast(head)) {
      this.#beginBuild();
      return;
    }
    if (head.position > index.position) await this.#follow(index, head, signal);
    if (index.position >= head.position) this.#caughtUpAtMs = askedAtMs;
    if (index.isOutgrown) this.#beginBuild();
  }

  async #follow(index: FollowedIndex, head: CatalogHead, signal: AbortSignal): Promise<void> {
    try {
      await index.follow(this.#db, head, signal);
    } catch (error) {
      // Another has taken its place, or its death was told.
      if (!(error instanceof IndexGone)) throw error;
      return;
    }
    await pause(REFRESH_PAUSE_MS, signal);
  }

  #beginBuild(): void {
    if (this.#building !== null || this.#closing.signal.aborted) return;
    if (performance.now() < this.#retryAtMs) return;
    this.#building = this.#build().finally(() => {
      this.#building = null;
      this.#looking.wake();
    });
  }

  /** Builds another index beside the one that answers, and puts it in its place when it is up to date. */
  async #build(): Promise<void> {
    const { signal } = this.#closing;
    try {
      const onDeath = (error: Error): void => this.#lose(error);
      const index = await FollowedIndex.build(this.#db, onDeath, signal);
      await this.#catchUp(index, signal);
      const former = this.#index;
      if (signal.aborted) {
        await index.thread.close();
        return;
      }
      this.#index = index;
      this.#isEmpty = false;
      this.#builds += 1;
      this.#becomeReady();
      if (former !== null) this.#retire(former);
    } catch (error) {
      if (signal.aborted) return;
      this.#noteFailure();
      this.#onFault(error);
    }
  }

  /** A card that was found must not be missing after the change: the new index goes as far as the one that answers. */
  async #catchUp(index: FollowedIndex, signal: AbortSignal): Promise<void> {
    for (let turn = 0; turn < CATCH_UP_TURNS_MAX && !signal.aborted; turn++) {
      const former = this.#index;
      if (former === null || former.position <= index.position) return;
      const head = await readCatalogHead(this.#db, former.seen);
      if (former.isPast(head)) return;
      await index.follow(this.#db, head, signal);
    }
  }

  #retire(former: FollowedIndex): void {
    const retired = former.thread.retire().finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  /** The thread that answers has ended by itself: another is built after a pause. */
  #lose(error: Error): void {
    const index = this.#index;
    if (index === null || !index.thread.isEnded) return;
    this.#index = null;
    if (performance.now() - index.bornAtMs > STEADY_MS) this.#failuresInARow = 0;
    this.#noteFailure();
    this.#onFault(error);
  }

  #noteFailure(): void {
    const pauseMs = Math.min(RETRY_PAUSE_MS * 2 ** this.#failuresInARow, RETRY_PAUSE_MS_MAX);
    this.#retryAtMs = performance.now() + pauseMs;
    this.#failuresInARow += 1;
    this.#failures += 1;
  }

  #tellLooked(): void {
    this.#looked.resolve();
    this.#looked = Promise.withResolvers();
  }

  #becomeReady(): void {
    this.#isReady = true;
    this.#ready.resolve();
  }
}

/** Waits, or until the work is stopped. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    }
  });
}
