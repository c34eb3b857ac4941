// Runs the long proofs: `node scripts/prove.ts [--full] [file or glob …]`. Without `--full` all of them take some 6
// minutes. One at a time: they measure times, kill processes and fill both cores.
import { globSync } from 'node:fs';
import { runTestFiles } from './run-test-files.ts';

const isFull = process.argv.includes('--full');
const given = process.argv.slice(2).filter((argument) => argument !== '--full');
const patterns = given.length > 0 ? given : ['server/prove/**/*.proof.ts'];

process.exitCode = await runTestFiles({
  files: patterns.flatMap((pattern) => globSync(pattern)).toSorted(),
  isDurable: true,
  concurrency: 1,
  timeoutMs: isFull ? 3_600_000 : 600_000,
  environment: isFull ? { PROVE_FULL: '1' } : {},
});
