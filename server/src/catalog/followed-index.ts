import { IndexThread } from '../card-search/index-thread.ts';
import { type IndexSize, LAYER_CARDS_MAX } from '../card-search/search-index.ts';
import type { Database } from '../database/database.ts';
import {
  type CardsPage,
  type CatalogHead,
  type ObservedChange,
  readCardChanges,
  readCardsPage,
  readCatalogHead,
} from './search-source.ts';

/** The number of cards in a page: about 0.5 MB of text and 10 ms of database time. */
const PAGE_CARDS = 1_000;
/** The maximum number of pages in a build: a billion cards. */
const PAGES_MAX = 1_000_000;
/** The maximum number of steps in one refresh, so that an endless import cannot keep it running. */
const STEPS_MAX = 1_000;
/**
 * Above this many changed cards, the base is rebuilt. They form about five layers, which add 0.5 ms
 * to a search; a lower limit would rebuild half a million cards for little gain.
 */
const LAYERED_MAX = 10_000;
/** An import counts as over after this long without changes, because imports commit every 50 ms. */
const QUIET_MS = 1_000;
/**
 * During an import, the base is rebuilt only above this number plus a share of the base: a rebuild
 * takes resources from the import, and its result would soon be outgrown too.
 */
const LAYERED_MAX_WHILE_BUSY = 50_000;
const LAYERED_SHARE_WHILE_BUSY = 0.1;

/** An index in a thread, and the catalog position up to which it is current. */
export class FollowedIndex {
  readonly thread: IndexThread;
  readonly createdAtMs = performance.now();
  #position: number;
  #changedAtMs = performance.now();
  #size: IndexSize = { base: 0, layered: 0 };
  /** The newest change in the catalog when the index was last up to date. */
  #lastSeenChange: ObservedChange | null;

  private constructor(thread: IndexThread, head: CatalogHead) {
    this.thread = thread;
    this.#position = head.position;
    this.#lastSeenChange = head.newest;
  }

  /**
   * The position is read before the first page, so changes during the build are applied at the end.
   *
   * @throws IndexThreadEnded when the thread ends; DatabaseBusy
   */
  static async build(
    db: Database,
    onUnexpectedExit: (error: Error) => void,
    signal: AbortSignal,
  ): Promise<FollowedIndex> {
    const head = await readCatalogHead(db, null);
    const thread = new IndexThread(onUnexpectedExit);
    const index = new FollowedIndex(thread, head);
    // A build of half a million cards takes seconds; an abort must not wait for it.
    const end = (): void => void thread.close();
    signal.addEventListener('abort', end, { once: true });
    try {
      await index.#load(db, signal);
      await index.applyChanges(db, await readCatalogHead(db, index.lastSeenChange), signal);
      return index;
    } catch (error) {
      await thread.close();
      throw error;
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  get position(): number {
    return this.#position;
  }

  get size(): IndexSize {
    return this.#size;
  }

  get lastSeenChange(): ObservedChange | null {
    return this.#lastSeenChange;
  }

  /** True if a rebuild now costs less than searching the layers. */
  get isOutgrown(): boolean {
    const { base, layered } = this.#size;
    if (performance.now() - this.#changedAtMs > QUIET_MS) return layered > LAYERED_MAX;
    return layered > LAYERED_MAX_WHILE_BUSY + base * LAYERED_SHARE_WHILE_BUSY;
  }

  /**
   * True if the index has read changes that a restore of the database has removed. An entry's
   * position only grows, so this is detected even after new changes have reused lost positions.
   */
  isAheadOf(head: CatalogHead): boolean {
    if (head.position < this.#position) return true;
    return (
      this.#lastSeenChange !== null && (head.seenPosition ?? 0) < this.#lastSeenChange.position
    );
  }

  /** @throws IndexThreadEnded, DatabaseBusy */
  async applyChanges(db: Database, head: CatalogHead, signal: AbortSignal): Promise<void> {
    if (this.isAheadOf(head)) return;
    for (let step = 0; this.#position < head.position; step++) {
      if (step >= STEPS_MAX || signal.aborted) return;
      const changes = await readCardChanges(db, this.#position, LAYER_CARDS_MAX);
      if (changes.position === null) return;
      if (changes.ids !== '') {
        const { ids, cards } = changes;
        this.#size = (await this.thread.call({ kind: 'apply', ids, cards })).size;
      }
      this.#position = changes.position;
      this.#changedAtMs = performance.now();
    }
    this.#lastSeenChange = head.newest;
  }

  async #load(db: Database, signal: AbortSignal): Promise<void> {
    let afterId: string | null = null;
    // The thread works on one page while the next is read.
    let added: Promise<unknown> = Promise.resolve();
    for (let page = 0; page < PAGES_MAX; page++) {
      const reading: Promise<CardsPage> = readCardsPage(db, afterId, PAGE_CARDS);
      const [next] = await Promise.all([reading, added]);
      signal.throwIfAborted();
      if (next.lastId === null) break;
      added = this.thread.call({ kind: 'add', cards: next.cards });
      afterId = next.lastId;
    }
    await added;
    this.#size = (await this.thread.call({ kind: 'build' })).size;
  }
}
