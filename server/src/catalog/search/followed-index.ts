import type { Database } from '../../database/database.ts';
import {
  type CatalogHead,
  readCardChanges,
  readCardsPage,
  readCatalogHead,
  type SeenChange,
} from './index-source.ts';
import { IndexThread } from './index-thread.ts';
import { type IndexSize, LAYER_CARDS_MAX } from './layered-index.ts';

/** Cards of a page: about 0.5 MB of text, some 10 ms of the database. */
const PAGE_CARDS = 1_000;
/** Pages of one base (a billion cards): a limit stands on every loop. */
const PAGES_MAX = 1_000_000;
/**
 * Changes that become one layer. As many as a layer may have: what an import brings is then never merged, so that it
 * cannot run ahead of the index.
 */
const STEP_CHANGES = LAYER_CARDS_MAX;
/** Steps of one refresh. What is left is for the next, so that nobody runs after an endless import for ever. */
const STEPS_MAX = 1_000;
/**
 * Changed cards above which the base is built anew. They lie in about six layers, which add half a millisecond to a
 * search; fewer would have half a million cards built again for nothing.
 */
const LAYERED_MAX = 10_000;
/** No change for so long: the import is over. While it goes on it commits every 50 ms. */
const QUIET_MS = 1_000;
/**
 * While an import goes on, the base is left alone up to this many changed cards and a share of the base: building takes
 * what the import needs, and the new base would be outgrown again when it is there.
 */
const LAYERED_MAX_WHILE_BUSY = 50_000;
const LAYERED_SHARE_WHILE_BUSY = 0.1;
/** Nor for longer than this: changes may come every second for ever. */
const BUSY_MS_MAX = 600_000;

/** A search index in a thread of its own, and how far it has followed the catalog. */
export class FollowedIndex {
  readonly thread: IndexThread;
  readonly bornAtMs = performance.now();
  #position: number;
  #changedAtMs = performance.now();
  #size: IndexSize = { base: 0, layered: 0, layers: 0 };
  /** The newest change that was there when the index was last up to date. */
  #seen: SeenChange | null;

  private constructor(thread: IndexThread, head: CatalogHead) {
    this.thread = thread;
    this.#position = head.position;
    this.#seen = head.newest;
  }

  /**
   * Builds an index of all active cards and brings it up to date. The position is read before the first page: what
   * changes meanwhile is taken in after the last.
   *
   * @throws IndexGone when the thread ends; DatabaseBusy
   */
  static async build(
    db: Database,
    onDeath: (error: Error) => void,
    signal: AbortSignal,
  ): Promise<FollowedIndex> {
    const head = await readCatalogHead(db, null);
    const thread = new IndexThread(onDeath);
    const index = new FollowedIndex(thread, head);
    // Half a million cards take the thread seconds, for which nobody would wait.
    const end = (): void => void thread.close();
    signal.addEventListener('abort', end, { once: true });
    try {
      await index.#load(db, signal);
      await index.follow(db, await readCatalogHead(db, index.seen), signal);
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

  get seen(): SeenChange | null {
    return this.#seen;
  }

  /** True when so much has changed that building a new base costs less than asking the layers, and it is time for it. */
  get isOutgrown(): boolean {
    const { base, layered } = this.#size;
    if (layered <= LAYERED_MAX) return false;
    const nowMs = performance.now();
    if (nowMs - this.#changedAtMs > QUIET_MS || nowMs - this.bornAtMs > BUSY_MS_MAX) return true;
    return layered > LAYERED_MAX_WHILE_BUSY + base * LAYERED_SHARE_WHILE_BUSY;
  }

  /**
   * True when the catalog stands before what this index has seen: the database was restored from a backup. Positions
   * only grow, and so does that of every entry: also when new changes have taken the lost positions.
   */
  isPast(head: CatalogHead): boolean {
    if (head.position < this.#position) return true;
    return this.#seen !== null && (head.seenPosition ?? 0) < this.#seen.position;
  }

  /**
   * Takes in what has changed up to `head`, or further. An index that is past the head is left alone.
   *
   * @throws IndexGone, DatabaseBusy
   */
  async follow(db: Database, head: CatalogHead, signal: AbortSignal): Promise<void> {
    if (this.isPast(head)) return;
    for (let step = 0; this.#position < head.position; step++) {
      if (step >= STEPS_MAX || signal.aborted) return;
      const changes = await readCardChanges(db, this.#position, STEP_CHANGES);
      if (changes.position === null) return;
      if (changes.ids !== '') this.#size = await this.thread.apply(changes.ids, changes.text);
      this.#position = changes.position;
      this.#changedAtMs = performance.now();
    }
    this.#seen = head.newest;
  }

  async #load(db: Database, signal: AbortSignal): Promise<void> {
    let afterId: string | null = null;
    for (let page = 0; page < PAGES_MAX; page++) {
      signal.throwIfAborted();
      const { text, lastId } = await readCardsPage(db, afterId, PAGE_CARDS);
      if (lastId === null) break;
      await this.thread.addPage(text);
      afterId = lastId;
    }
    this.#size = await this.thread.finish();
  }
}
