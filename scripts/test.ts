// Runs the tests: `node scripts/test.ts [file or glob …]`. Starts a throw-away PostgreSQL where there is one.
import { globSync } from 'node:fs';
import { buildClient } from './build-client.ts';
import { runTestFiles } from './run-test-files.ts';

const ALL = ['server', 'client', 'conformance', 'examples', 'generated-client', 'scripts'].map(
  (folder) => `${folder}/**/*.test.ts`,
);

const given = process.argv.slice(2);
const patterns = given.length > 0 ? given : ALL;

// The example app and the pages' code import the SDK as its users do: built.
buildClient();

process.exitCode = await runTestFiles({
  files: patterns
    .flatMap((pattern) => globSync(pattern, { exclude: ['**/node_modules/**'] }))
    .toSorted(),
  isDurable: false,
  concurrency: 2,
  timeoutMs: 180_000,
  environment: {},
});
