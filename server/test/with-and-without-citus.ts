import { describe } from 'node:test';
import { FAKE_CITUS } from './fake-citus.ts';
import { useTestDatabase } from './shared.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

/**
 * Runs the tests twice: on a plain database, and on one that seems to use Citus, where the service
 * sends its statements for one shop at a time.
 */
export function describeWithAndWithoutCitus(
  name: string,
  define: (useDatabase: () => TestDatabase) => void,
): void {
  describe(name, () => define(useTestDatabase));
  describe(`${name}, one shop at a time as on Citus`, () =>
    define(() => useTestDatabase(openPretended)));
}

async function openPretended(): Promise<TestDatabase> {
  const base = await openTestDatabase();
  await base.db.runScript(FAKE_CITUS);
  return base;
}
