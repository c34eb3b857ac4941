import { describe } from 'node:test';
import { PRETEND_CITUS } from './pretend-citus.ts';
import { useTestDatabase } from './shared.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

/**
 * Runs the tests on a database as it is, and on one that says that Citus distributes its tables, so
 * that its statements are sent for one shop at a time.
 */
export function describeBothWays(
  name: string,
  define: (useDatabase: () => TestDatabase) => void,
): void {
  describe(name, () => define(useTestDatabase));
  describe(`${name}, a shop at a time`, () => define(() => useTestDatabase(openPretended)));
}

async function openPretended(): Promise<TestDatabase> {
  const base = await openTestDatabase();
  await base.db.runScript(PRETEND_CITUS);
  return base;
}
