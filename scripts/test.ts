// Runs the tests on a temporary PostgreSQL server:
// `node scripts/test.ts [option …] [file or glob …]`
//   --layer=LAYER       only unit, service, browser or conformance tests (scripts/test-plan.ts)
//   --changed[=COMMIT]  only tests that import a file changed since the commit (HEAD)
//   --timeout=SECONDS   time limit of one test (400), to stop tests that hang
//   --record            saves the duration of each file, which balances the batches
import { execFileSync } from 'node:child_process';
import { globSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPackagedBinaries } from '../server/src/database/packaged/binaries.ts';
import { buildClient } from './build-client.ts';
import { FOLDERS, ImportGraph } from './import-graph.ts';
import { runTestFiles } from './run-test-files.ts';
import recorded from './test-seconds.json' with { type: 'json' };
import { findAffectedTests, isLayer, layerOf, LAYERS, planBatches } from './test-plan.ts';

const ROOT = join(import.meta.dirname, '..');
const ALL = `{${FOLDERS.join()}}/**/*.test.ts`;
/** The compile cache of all test files. It is in node_modules, so that `npm ci` clears it. */
const COMPILED = join(ROOT, 'node_modules/.cache/tests');
/** The recorded durations of the slowest files, in seconds. */
const SECONDS = join(import.meta.dirname, 'test-seconds.json');
const SECONDS_MIN = 2;
const SLOWEST = 20;

const { values: options, positionals } = parseArgs({
  args: process.argv
    .slice(2)
    .map((argument) => (argument === '--changed' ? '--changed=HEAD' : argument)),
  options: {
    layer: { type: 'string' },
    changed: { type: 'string' },
    timeout: { type: 'string', default: '400' },
    record: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});

function listFiles(graph: ImportGraph): readonly string[] {
  const { layer, changed } = options;
  if (layer !== undefined && !isLayer(layer)) {
    throw new Error(`--layer must be one of ${LAYERS.join(', ')}`);
  }
  const files = (positionals.length > 0 ? positionals : [ALL])
    .flatMap((pattern) => globSync(pattern, { exclude: ['**/node_modules/**'] }))
    .filter((file) => layer === undefined || layerOf(file, graph) === layer)
    .toSorted();
  return changed === undefined ? files : findAffectedTests(listChanged(changed), files, graph);
}

function listChanged(commit: string): readonly string[] {
  const git = (...args: readonly string[]): readonly string[] =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
  return [
    ...git('diff', '--name-only', commit, '--'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

process.chdir(ROOT);
const graph = ImportGraph.read(ROOT);
const files = listFiles(graph);
// The example app and the docs' code import the built SDK. A run inside a test must not rewrite
// files that other tests are reading.
if (process.env['TEST_RUN'] === undefined) buildClient();
const batches = planBatches(files, graph, recorded);
if (options.changed !== undefined && batches.length === 0) {
  console.log('no test depends on the changed files');
  process.exit();
}
const { exitCode, seconds } = await runTestFiles({
  batches: batches.map((batch) => batch.files),
  binaries: batches.every(({ layer }) => layer === 'unit') ? null : findPackagedBinaries(),
  isDurable: false,
  // More processes than cores, because tests often wait for a child process, database or browser.
  concurrency: availableParallelism() + 2,
  timeoutMs: Number(options.timeout) * 1_000,
  environment: { NODE_COMPILE_CACHE: COMPILED },
});
const slowest = [...seconds].toSorted(([, a], [, b]) => b - a);
if (files.length > SLOWEST) {
  console.log('Slowest files (s):');
  for (const [file, taken] of slowest.slice(0, SLOWEST)) {
    console.log(`${taken.toFixed(1).padStart(6)} ${file}`);
  }
}
if (options.record) {
  const kept = slowest
    .filter(([, taken]) => taken >= SECONDS_MIN)
    .map(([file, taken]) => [file, Math.round(taken)]);
  writeFileSync(SECONDS, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
}
process.exitCode = exitCode;
