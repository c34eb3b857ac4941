import { describe } from 'node:test';
import { PRETEND_CITUS } from './pretend-citus.ts';
import { useTestDatabase } from './shared.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

/**
 * Runs the tests on a plain database, and on a database that appears to be distributed by Citus,
 * for which statements are sent for one shop at a time.
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
