// Runs the long proofs: `node scripts/prove.ts [--full] [file or glob …]`. They run on
// the packaged PostgreSQL and on the machine's own. Without `--full` all of them take some 13 minutes. Those that measure times run one at a time; those that kill processes wait as much as they work: two at once.
import { globSync } from 'node:fs';
import { type Binaries, findPackagedBinaries } from '../server/src/database/packaged/binaries.ts';
import { findPostgres } from './postgres.ts';
import { runTestFiles } from './run-test-files.ts';

const isFull = process.argv.includes('--full');
const given = process.argv.slice(2).filter((argument) => argument !== '--full');
const patterns = given.length > 0 ? given : ['server/prove/**/*.proof.ts'];

/** No time decides these but bounds of many seconds. */
const SIDE_BY_SIDE = /(?:(?:kills|catalog-import)\.proof|\.test)\.ts$/;

const proofs = patterns.flatMap((pattern) => globSync(pattern)).toSorted();
/** Every statement and migration, on the machine's own server too: it may be the oldest version that is supported. */
const SQL_TESTS = ['migrate', 'schema', 'statement'].map(
  (name) => `server/src/database/${name}.test.ts`,
);

const own = findPostgres();
const runs = [
  ...groupsOf(findPackagedBinaries(), proofs),
  ...(own === null ? [] : groupsOf(own, given.length > 0 ? proofs : [...SQL_TESTS, ...proofs])),
];

function groupsOf(
  binaries: Binaries,
  files: readonly string[],
): readonly {
  readonly binaries: Binaries;
  readonly files: readonly string[];
  readonly concurrency: number;
}[] {
  return [
    { binaries, files: files.filter((file) => SIDE_BY_SIDE.test(file)), concurrency: 2 },
    { binaries, files: files.filter((file) => !SIDE_BY_SIDE.test(file)), concurrency: 1 },
  ].filter((group) => group.files.length > 0);
}

for (const run of runs) {
  console.log(`# PostgreSQL ${run.binaries.major}`);
  const { exitCode } = await runTestFiles({
    ...run,
    batches: run.files.map((file) => [file]),
    isDurable: true,
    timeoutMs: isFull ? 5_400_000 : 600_000,
    environment: isFull ? { PROVE_FULL: '1' } : {},
  });
  if (exitCode !== 0) process.exitCode = exitCode;
}
