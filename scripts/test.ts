// Runs the tests: `node scripts/test.ts [file or glob …]`. Starts a throw-away PostgreSQL where there is one.
import { globSync } from 'node:fs';
import { runTestFiles } from './run-test-files.ts';

const given = process.argv.slice(2);
const patterns = given.length > 0 ? given : ['server/**/*.test.ts', 'scripts/**/*.test.ts'];

process.exitCode = await runTestFiles({
  files: patterns.flatMap((pattern) => globSync(pattern)).toSorted(),
  isDurable: false,
  concurrency: 2,
  timeoutMs: 180_000,
  environment: {},
});
