import { describe } from 'node:test';
import { IS_ON_CITUS } from './citus-nodes.ts';
import { FAKE_CITUS } from './fake-citus.ts';
import { useTestDatabase } from './shared.ts';
import { openTestDatabase, type TestDatabase } from './test-database.ts';

/**
 * Runs the tests twice: on a plain database, and on one that seems to use Citus. For the second,
 * the service sends its statements for one shop at a time. On Citus, runs the tests once.
 */
export function describeWithAndWithoutCitus(
  name: string,
  define: (useDatabase: () => TestDatabase) => void,
): void {
  describe(name, () => define(useTestDatabase));
  if (IS_ON_CITUS) return;
  describe(`${name}, one shop at a time as on Citus`, () =>
    define(() => useTestDatabase(openPretended)));
}

async function openPretended(): Promise<TestDatabase> {
  const base = await openTestDatabase();
  await base.db.runScript(FAKE_CITUS);
  return base;
}
