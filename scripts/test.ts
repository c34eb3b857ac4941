// Runs the tests: `node scripts/test.ts [file or glob …]`. Starts a throw-away PostgreSQL where there is one.
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { buildClient } from './build-client.ts';
import { runTestFiles } from './run-test-files.ts';

const ALL = ['server', 'client', 'conformance', 'examples', 'generated-client', 'scripts'].map(
  (folder) => `${folder}/**/*.test.ts`,
);

/**
 * Most files live for seconds: the time in which V8 compiles the embedded engine's WebAssembly once more, optimised, is never
 * won back (decision 0163).
 */
const NODE_OPTIONS = ['--liftoff-only'];
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
  isDurable: false,
  concurrency: 2,
  timeoutMs: 180_000,
  environment: { NODE_COMPILE_CACHE: COMPILED },
  nodeOptions: NODE_OPTIONS,
});
