import type { Worker } from 'node:worker_threads';
import { CardSearch } from '../src/catalog/card-search.ts';
import type { IndexEvent } from '../src/catalog/index-keeper.ts';
import type { Database } from '../src/database/database.ts';
import { openChannel } from '../src/database/open-channel.ts';
import { openDatabase } from '../src/database/open-database.ts';
import type { CatalogCard } from './catalog.ts';
import type { TestDatabase } from './test-database.ts';
import { waitUntil } from './wait-until.ts';

/** A search with a separate database connection, like that of another process. */
export interface SearchNode extends AsyncDisposable {
  readonly db: Database;
  readonly search: CardSearch;
  readonly faults: unknown[];
  readonly news: IndexEvent[];
  /** The threads that the search has started, newest last. */
  readonly workers: readonly Worker[];
  ids(text: string, limit?: number): Promise<readonly string[] | 'unavailable'>;
}

export async function startSearchNode(base: TestDatabase): Promise<SearchNode> {
  const faults: unknown[] = [];
  const news: IndexEvent[] = [];
  const workers: Worker[] = [];
  const note = (worker: Worker): void => void workers.push(worker);
  process.on('worker', note);
  const db = openDatabase(base.engine, { onFault: (error) => faults.push(error) });
  const channel = await openChannel(base.engine, { onFault: () => undefined });
  const search = new CardSearch({
    db,
    channel,
    onFault: (error) => faults.push(error),
    onEvent: (each) => news.push(each),
  });
  return {
    db,
    search,
    faults,
    news,
    workers,
    ids: async (text, limit = 25) => {
      const result = await search.find(text, limit, { path: ['shop', 'app'] });
      return result.kind === 'found' ? result.cards.map(({ id }) => id) : 'unavailable';
    },
    [Symbol.asyncDispose]: async () => {
      await search.close();
      await channel.close();
      await db.close();
      process.off('worker', note);
    },
  };
}

/** Waits until a text finds exactly these cards. */
export async function waitUntilFound(
  node: SearchNode,
  text: string,
  cards: readonly CatalogCard[],
): Promise<void> {
  const expected = cards
    .map(({ id }) => id)
    .toSorted()
    .join();
  await waitUntil(async () => {
    const ids = await node.ids(text);
    return ids !== 'unavailable' && ids.toSorted().join() === expected;
  });
}
