import type { Database } from '../database/database.ts';
import {
  type CatalogHead,
  readCardChanges,
  readCardsPage,
  readCatalogHead,
  type ObservedChange,
} from './index-source.ts';
import { IndexThread } from './index-thread.ts';
import { type IndexSize, LAYER_CARDS_MAX } from './layered-index.ts';

/** About 0.5 MB of text, about 10 ms of database time. */
const PAGE_CARDS = 1_000;
/** Per build: a billion cards. */
const PAGES_MAX = 1_000_000;
/**
 * Per layer. The largest layer that is merged, so the layers of an import are never merged and an
 * import cannot outrun the index.
 */
const STEP_CHANGES = LAYER_CARDS_MAX;
/** Per refresh; the next one continues. An endless import cannot keep one refresh running. */
const STEPS_MAX = 1_000;
/**
 * Changed cards above which the base is rebuilt. They are in about six layers, which add half a
 * millisecond to a search; a lower limit would rebuild half a million cards for little gain.
 */
const LAYERED_MAX = 10_000;
/** Without changes for this long, the import is over: a running import commits every 50 ms. */
const QUIET_MS = 1_000;
/**
 * During an import the base stays up to this many changed cards plus a share of the base: a rebuild
 * takes resources from the import, and its result would soon be outgrown too.
 */
const LAYERED_MAX_WHILE_BUSY = 50_000;
const LAYERED_SHARE_WHILE_BUSY = 0.1;
/**
 * An index older than this is rebuilt even during changes, because they may never pause for
 * `QUIET_MS`.
 */
const BUSY_MS_MAX = 600_000;

export class SyncedIndex {
  readonly thread: IndexThread;
  readonly createdAtMs = performance.now();
  #position: number;
  #changedAtMs = performance.now();
  #size: IndexSize = { base: 0, layered: 0, layers: 0 };
  /** The newest change when the index was last up to date. */
  #lastSeenChange: ObservedChange | null;

  private constructor(thread: IndexThread, head: CatalogHead) {
    this.thread = thread;
    this.#position = head.position;
    this.#lastSeenChange = head.newest;
  }

  /**
   * Builds an index of all active cards and brings it up to date. The position is read before the
   * first page, so changes during the build are taken in after the last page.
   *
   * @throws IndexGone when the thread ends; DatabaseBusy
   */
  static async build(
    db: Database,
    onUnexpectedExit: (error: Error) => void,
    signal: AbortSignal,
  ): Promise<SyncedIndex> {
    const head = await readCatalogHead(db, null);
    const thread = new IndexThread(onUnexpectedExit);
    const index = new SyncedIndex(thread, head);
    // Building half a million cards takes the thread seconds; do not wait for it on abort.
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

  /** A rebuild now costs less than searching that many layers. */
  get isOutgrown(): boolean {
    const { base, layered } = this.#size;
    if (layered <= LAYERED_MAX) return false;
    const nowMs = performance.now();
    if (nowMs - this.#changedAtMs > QUIET_MS || nowMs - this.createdAtMs > BUSY_MS_MAX) return true;
    return layered > LAYERED_MAX_WHILE_BUSY + base * LAYERED_SHARE_WHILE_BUSY;
  }

  /**
   * The catalog is behind what this index has read: the database was restored from a backup. The
   * position of each entry only grows, so this also holds when new changes have reused the lost
   * positions.
   */
  isAheadOf(head: CatalogHead): boolean {
    if (head.position < this.#position) return true;
    return (
      this.#lastSeenChange !== null && (head.seenPosition ?? 0) < this.#lastSeenChange.position
    );
  }

  /**
   * Takes in the changes up to `head` or later. Does nothing when `isAheadOf(head)`.
   *
   * @throws IndexGone, DatabaseBusy
   */
  async applyChanges(db: Database, head: CatalogHead, signal: AbortSignal): Promise<void> {
    if (this.isAheadOf(head)) return;
    for (let step = 0; this.#position < head.position; step++) {
      if (step >= STEPS_MAX || signal.aborted) return;
      const changes = await readCardChanges(db, this.#position, STEP_CHANGES);
      if (changes.position === null) return;
      if (changes.ids !== '') this.#size = await this.thread.apply(changes.ids, changes.text);
      this.#position = changes.position;
      this.#changedAtMs = performance.now();
    }
    this.#lastSeenChange = head.newest;
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
