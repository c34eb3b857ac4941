import { type Periodic, periodically } from '../../base/periodic.ts';
import type { Channel } from '../../database/channel.ts';
import type { Database } from '../../database/database.ts';
import { FollowedIndex } from './followed-index.ts';
import { type CatalogHead, readCatalogHead } from './index-source.ts';
import { IndexGone } from './index-thread.ts';

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
/** How the index of a node does, for metrics. */
export interface IndexState {
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

/** What becomes of the index of a node, for the log. */
export type IndexNews =
  | {
      readonly kind: 'built' | 'rebuilt';
      readonly cards: number;
      readonly seconds: number;
    }
  /** Its thread ended by itself, and another is built. */
  | { readonly kind: 'lost' };

export interface IndexKeeperOptions {
  readonly db: Database;
  readonly channel: Channel;
  /** Told of faults that no request sees. */
  readonly onFault: (error: unknown) => void;
  readonly onNews?: ((news: IndexNews) => void) | undefined;
}

/**
 * Keeps the search index of a node: has it built, brings it where the catalog stands, has another built when it is
 * outgrown, lost, or ahead of a database that was restored. An empty catalog has no index: the first is built when the
 * first card comes.
 */
export class IndexKeeper {
  readonly #db: Database;
  readonly #onFault: (error: unknown) => void;
  readonly #onNews: (news: IndexNews) => void;
  readonly #looking: Periodic;
  readonly #ready = Promise.withResolvers<void>();
  readonly #closing = new AbortController();
  /** Resolves at the end of the look that is under way or comes next. */
  #looked = Promise.withResolvers<void>();
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

  /** Begins to build the index at once. */
  constructor({ db, channel, onFault, onNews }: IndexKeeperOptions) {
    this.#db = db;
    this.#onFault = onFault;
    this.#onNews = onNews ?? ((): void => undefined);
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

  /** The index that answers; null while there is none. */
  get index(): FollowedIndex | null {
    return this.#index;
  }

  /** True until the first index is there because the catalog was seen to be empty: nothing can be found, rightly. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** True once the first index has been built, or the catalog was seen to be empty. */
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

  /** Resolves when `isReady`; at closing too. */
  async whenReady(): Promise<void> {
    await this.#ready.promise;
  }

  /** Resolves when the index holds everything that the database holds now; at closing too. */
  async whenCurrent(): Promise<void> {
    await this.whenReady();
    const head = await readCatalogHead(this.#db, null);
    const isCurrent = (): boolean =>
      this.#index === null ? !head.hasCards : this.#index.position >= head.position;
    while (!isCurrent() && !this.#closing.signal.aborted) await this.#looked.promise;
  }

  /** Ends the threads. Searches that wait are told `IndexGone`. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#ready.resolve();
    this.#tellLooked();
    const index = this.#index;
    this.#index = null;
    await Promise.all([this.#looking.stop(), this.#building, index?.thread.close()]);
    await Promise.all(this.#retiring);
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
    const beganAtMs = performance.now();
    try {
      const onDeath = (error: Error): void => this.#lose(error);
      const index = await FollowedIndex.build(this.#db, onDeath, signal);
      try {
        await this.#catchUp(index, signal);
        signal.throwIfAborted();
        // It may have ended while it had nothing to do.
        if (index.thread.isEnded) throw new IndexGone('the new index has ended');
      } catch (error) {
        await index.thread.close();
        throw error;
      }
      this.#replace(index);
      const kind = this.#builds === 1 ? 'built' : 'rebuilt';
      const seconds = Math.round(performance.now() - beganAtMs) / 1_000;
      this.#onNews({ kind, cards: index.size.base, seconds });
    } catch (error) {
      if (signal.aborted) return;
      // The catalog is no longer known to be empty: what may be there cannot be found.
      this.#isEmpty = false;
      this.#noteFailure();
      this.#onFault(error);
    }
  }

  #replace(index: FollowedIndex): void {
    const former = this.#index;
    this.#index = index;
    this.#isEmpty = false;
    this.#builds += 1;
    this.#becomeReady();
    if (former === null) return;
    const retired = former.thread.retire().finally(() => this.#retiring.delete(retired));
    this.#retiring.add(retired);
  }

  /** A card that was found must not be missing after the change: the new index goes as far as the one that answers. */
  async #catchUp(index: FollowedIndex, signal: AbortSignal): Promise<void> {
    for (let turn = 0; turn < CATCH_UP_TURNS_MAX && !signal.aborted; turn++) {
      const former = this.#index;
      if (former === null || former.position <= index.position) return;
      const head = await readCatalogHead(this.#db, index.seen);
      // What the former has seen further is no longer there: the database was restored.
      if (head.position <= index.position || index.isPast(head)) return;
      await index.follow(this.#db, head, signal);
    }
  }

  /** The thread that answers has ended by itself: another is built after a pause. */
  #lose(error: Error): void {
    const index = this.#index;
    if (index === null || !index.thread.isEnded) return;
    this.#index = null;
    if (performance.now() - index.bornAtMs > STEADY_MS) this.#failuresInARow = 0;
    this.#noteFailure();
    this.#onFault(error);
    this.#onNews({ kind: 'lost' });
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
