import { after, before } from 'node:test';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

/**
 * Opens a resource before the tests of a `describe` and closes it after them. Returns a function
 * that returns the resource.
 */
export function useShared<Opened extends AsyncDisposable>(
  open: () => Promise<Opened>,
): () => Opened {
  let shared: Opened | undefined;
  before(async () => {
    shared = await open();
  });
  after(async () => await shared?.[Symbol.asyncDispose]());
  return () => {
    if (shared === undefined) {
      throw new Error('the resource is open only while the tests of its describe run');
    }
    return shared;
  };
}

/**
 * Opens one database for the tests of a `describe`. Each test creates its own shops in the
 * database.
 */
export function useTestDatabase(
  open: () => Promise<TestDatabase> = openTestDatabase,
): TestDatabase {
  const shared = useShared(open);
  return {
    get engine() {
      return shared().engine;
    },
    get db() {
      return shared().db;
    },
    get url() {
      return shared().url;
    },
    close: async () => await shared().close(),
    [Symbol.asyncDispose]: async () => await shared().close(),
  };
}
