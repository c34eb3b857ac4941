// Runs the tests: `node scripts/test.ts [file or glob …]`, on a throw-away PostgreSQL server.
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findPackagedBinaries } from '../server/src/database/packaged/binaries.ts';
import { buildClient } from './build-client.ts';
import { runTestFiles } from './run-test-files.ts';

const ALL = ['server', 'client', 'conformance', 'examples', 'generated-client', 'scripts'].map(
  (folder) => `${folder}/**/*.test.ts`,
);

/** Every file imports much of the same code: it is compiled once. Beside the packages, so that `npm ci` clears it. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/tests', import.meta.url));

const given = process.argv.slice(2);
const patterns = given.length > 0 ? given : ALL;

// The example app and the pages' code import the SDK as its users do: built.
buildClient();

process.exitCode = await runTestFiles({
  files: patterns
    .flatMap((pattern) => globSync(pattern, { exclude: ['**/node_modules/**'] }))
    .toSorted(),
  binaries: findPackagedBinaries(),
  isDurable: false,
  concurrency: 2,
  timeoutMs: 180_000,
  environment: { NODE_COMPILE_CACHE: COMPILED },
});
