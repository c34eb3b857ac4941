// Runs the long proofs: `node scripts/prove.ts [--full] [file or glob …]`. Without `--full` all of them take some 6
// minutes. Those that measure times run one at a time; those that kill processes wait as much as they work: two at once.
import { globSync } from 'node:fs';
import { findPackagedBinaries } from '../server/src/database/packaged/binaries.ts';
import { findPostgres } from './postgres.ts';
import { runTestFiles } from './run-test-files.ts';

const isFull = process.argv.includes('--full');
const given = process.argv.slice(2).filter((argument) => argument !== '--full');
const patterns = given.length > 0 ? given : ['server/prove/**/*.proof.ts'];

/** No time decides these but bounds of many seconds. */
const SIDE_BY_SIDE = /(?:kills|catalog-import)\.proof\.ts$/;

const files = patterns.flatMap((pattern) => globSync(pattern)).toSorted();
const groups = [
  { files: files.filter((file) => SIDE_BY_SIDE.test(file)), concurrency: 2 },
  { files: files.filter((file) => !SIDE_BY_SIDE.test(file)), concurrency: 1 },
].filter((group) => group.files.length > 0);

// The packaged server, and the machine's own where there is one.
const servers = [findPackagedBinaries(), findPostgres()].filter((found) => found !== null);
const runs = servers.flatMap((binaries) => groups.map((group) => ({ ...group, binaries })));

for (const run of runs) {
  console.log(`# PostgreSQL ${run.binaries.major}`);
  const code = await runTestFiles({
    ...run,
    isDurable: true,
    timeoutMs: isFull ? 3_600_000 : 600_000,
    environment: isFull ? { PROVE_FULL: '1' } : {},
  });
  if (code !== 0) process.exitCode = code;
}
