import { setTimeout as delay } from 'node:timers/promises';
import { type PeriodicWork, runPeriodically } from '../base/periodic.ts';
import { IndexThreadEnded } from '../card-search/index-thread.ts';
import type { Channel } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import { FollowedIndex } from './followed-index.ts';
import { type CatalogHead, readCatalogHead } from './search-source.ts';

/** Polls for changes in case a notification is lost. A poll costs one short statement. */
const POLL_INTERVAL_MS = 1_000;
/**
 * The pause between two refreshes. An import announces 30 batches a second. Applied together, they
 * take a fifth of the thread's time.
 */
const REFRESH_PAUSE_MS = 250;
/** The delay after the first failed build. Each further failure doubles it. */
const RETRY_DELAY_MS = 250;
const RETRY_DELAY_MS_MAX = 60_000;
/** An index that existed this long was healthy, so its loss resets the backoff. */
const STEADY_MS = 60_000;
/**
 * The maximum number of times that a new index tries to catch up. Each attempt has fewer changes
 * left than the one before.
 */
const CATCH_UP_ATTEMPTS_MAX = 100;
export interface IndexState {
  readonly cards: number;
  readonly changedCards: number;
  /** Seconds since the index was last known to be up to date. */
  readonly lagSeconds: number;
  readonly builds: number;
  /** The number of failed builds and of threads that ended unexpectedly. */
  readonly failures: number;
}

export type IndexEvent =
  | {
      readonly kind: 'built' | 'rebuilt';
      readonly cards: number;
      readonly seconds: number;
    }
  | { readonly kind: 'lost' };

export interface IndexKeeperOptions {
  readonly db: Database;
  readonly channel: Channel;
  readonly onFault: (error: unknown) => void;
  readonly onEvent?: ((news: IndexEvent) => void) | undefined;
}

/**
 * Maintains the search index of a node. Builds the index, applies catalog changes to it, and
 * rebuilds it when it is outgrown, lost, or ahead of a restored database. An empty catalog has no
 * index; the first card starts the first build.
 */
export class IndexKeeper {
  readonly #db: Database;
  readonly #onFault: (error: unknown) => void;
  readonly #onEvent: (news: IndexEvent) => void;
  readonly #poller: PeriodicWork;
  readonly #ready = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  #polled = Promise.withResolvers<void>();
  #index: FollowedIndex | null = null;
  #building: Promise<void> | null = null;
  readonly #retiring = new Set<Promise<void>>();
  #isEmpty = false;
  #isReady = false;
  #caughtUpAtMs = performance.now();
  #failuresInARow = 0;
  #retryAtMs = 0;
  #builds = 0;
  #failures = 0;

  constructor({ db, channel, onFault, onEvent }: IndexKeeperOptions) {
    this.#db = db;
    this.#onFault = onFault;
    this.#onEvent = onEvent ?? ((): void => undefined);
    const poll = async (signal: AbortSignal): Promise<void> => {
      await this.#poll(signal).finally(() => this.#resolvePolled());
    };
    this.#poller = runPeriodically(POLL_INTERVAL_MS, poll, onFault);
    const wake = (): void => this.#poller.wake();
    db.onAnnouncement((topic) => {
      if (topic === 'catalog') wake();
    });
    channel.subscribe('catalog', wake);
    channel.onReset(wake);
    wake();
  }

  get index(): FollowedIndex | null {
    return this.#index;
  }

  /** True if the catalog is empty, so that an empty result is correct. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** True if searches can be answered. This includes a catalog that is known to be empty. */
  get isReady(): boolean {
    return this.#isReady;
  }

  get state(): IndexState {
    const size = this.#index?.size;
    return {
      cards: size?.base ?? 0,
      changedCards: size?.layered ?? 0,
      lagSeconds: (performance.now() - this.#caughtUpAtMs) / 1_000,
      builds: this.#builds,
      failures: this.#failures,
    };
  }

  async whenReady(): Promise<void> {
    await this.#ready.promise;
  }

  /** Resolves when the index contains everything now in the database, or when the keeper closes. */
  async whenCurrent(): Promise<void> {
    await this.whenReady();
    const head = await readCatalogHead(this.#db, null);
    const isCurrent = (): boolean =>
      this.#index === null ? !head.hasCards : this.#index.position >= head.position;
    while (!isCurrent() && !this.#closing.signal.aborted) await this.#polled.promise;
  }

  /** Closes the index. Waiting searches fail with `IndexThreadEnded`. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#ready.resolve();
    this.#resolvePolled();
    const index = this.#index;
    this.#index = null;
    await Promise.all([this.#poller.stop(), this.#building, index?.thread.close()]);
    await Promise.all(this.#retiring);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const startedAtMs = performance.now();
    const index = this.#index;
    const head = await readCatalogHead(this.#db, index?.lastSeenChange ?? null);
    if (this.#index !== index) {
      // The index was replaced or lost during the query, so the head does not belong to this index.
      this.#poller.wake();
      return;
    }
    if (index === null) {
      // If the catalog has no cards, build an index only if there was one before.
      if (head.hasCards || this.#builds > 0) this.#beginBuild();
      else if (this.#building === null) {
        this.#isEmpty = true;
        this.#caughtUpAtMs = startedAtMs;
        this.#markReady();
      }
      return;
    }
    if (index.isAheadOf(head)) {
      this.#beginBuild();
      return;
    }
    if (head.position > index.position) await this.#applyChanges(index, head, signal);
    if (index.position >= head.position) this.#caughtUpAtMs = startedAtMs;
    if (index.isOutgrown) this.#beginBuild();
  }

  async #applyChanges(index: FollowedIndex, head: CatalogHead, signal: AbortSignal): Promise<void> {
    try {
      await index.applyChanges(this.#db, head, signal);
    } catch (error) {
      // The index was replaced, or `#handleThreadExit` has reported the end of its thread.
      if (!(error instanceof IndexThreadEnded)) throw error;
      return;
    }
    await delay(REFRESH_PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }

  #beginBuild(): void {
    if (this.#building !== null || this.#closing.signal.aborted) return;
    if (performance.now() < this.#retryAtMs) return;
    this.#building = this.#build().finally(() => {
      this.#building = null;
      this.#poller.wake();
    });
  }

  /** Builds a new index. The current index serves searches until the new index is up to date. */
  async #build(): Promise<void> {
    const { signal } = this.#closing;
    const startedAtMs = performance.now();
    try {
      const onUnexpectedExit = (error: Error): void => this.#handleThreadExit(error);
      const index = await FollowedIndex.build(this.#db, onUnexpectedExit, signal);
      try {
        await this.#catchUp(index, signal);
        signal.throwIfAborted();
        // The thread may have ended while it was idle.
        if (index.thread.isEnded) throw new IndexThreadEnded('the new index thread has ended');
      } catch (error) {
        await index.thread.close();
        throw error;
      }
      this.#replace(index);
      const kind = this.#builds === 1 ? 'built' : 'rebuilt';
      const seconds = Math.round(performance.now() - startedAtMs) / 1_000;
      this.#onEvent({ kind, cards: index.size.base, seconds });
    } catch (error) {
      if (signal.aborted) return;
      // The catalog may contain cards by now, so an empty result would be wrong.
      this.#isEmpty = false;
      this.#recordFailure();
      this.#onFault(error);
    }
  }

  #replace(index: FollowedIndex): void {
    const previous = this.#index;
    this.#index = index;
    this.#isEmpty = false;
    this.#builds += 1;
    this.#markReady();
    if (previous === null) return;
    const retired = previous.thread.retire().finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  /** Makes a new index as current as its predecessor, so that no card found before is lost. */
  async #catchUp(index: FollowedIndex, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; attempt < CATCH_UP_ATTEMPTS_MAX && !signal.aborted; attempt++) {
      const previous = this.#index;
      if (previous === null || previous.position <= index.position) return;
      const head = await readCatalogHead(this.#db, index.lastSeenChange);
      // The changes that only the current index has seen are gone: the database was restored.
      if (head.position <= index.position || index.isAheadOf(head)) return;
      await index.applyChanges(this.#db, head, signal);
    }
  }

  #handleThreadExit(error: Error): void {
    const index = this.#index;
    if (index === null || !index.thread.isEnded) return;
    this.#index = null;
    if (performance.now() - index.createdAtMs > STEADY_MS) this.#failuresInARow = 0;
    this.#recordFailure();
    this.#onFault(error);
    this.#onEvent({ kind: 'lost' });
  }

  #recordFailure(): void {
    const pauseMs = Math.min(RETRY_DELAY_MS * 2 ** this.#failuresInARow, RETRY_DELAY_MS_MAX);
    this.#retryAtMs = performance.now() + pauseMs;
    this.#failuresInARow += 1;
    this.#failures += 1;
  }

  #resolvePolled(): void {
    this.#polled.resolve();
    this.#polled = Promise.withResolvers();
  }

  #markReady(): void {
    this.#isReady = true;
    this.#ready.resolve();
  }
}
