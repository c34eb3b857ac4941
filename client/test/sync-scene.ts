import type { FetchPage } from '../src/change-reader.ts';
import { syncChanges } from '../src/sync.ts';
import { ModelFeed } from './model-feed.ts';
import type { ModelStore } from './model-store.ts';

/** Returns a feed of seven objects, ids a to g, with two records per page. */
export function feedOfSeven(): ModelFeed {
  const feed = new ModelFeed();
  for (const [index, id] of [...'abcdefg'].entries()) feed.put(id, index);
  return feed;
}

/** Syncs a feed into a store once, with transactions. */
export async function sync(
  feed: { fetchPage: FetchPage },
  store: ModelStore,
): ReturnType<typeof syncChanges> {
  return await syncChanges(feed.fetchPage, store.wholeTarget(), {});
}
