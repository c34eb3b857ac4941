// Runs the long proofs: `node scripts/prove.ts [--full] [file or glob …]`.
//
// The default takes about four minutes on two cores. It runs every proof on the packaged
// PostgreSQL. On the machine's own server, which may be the oldest supported version, it runs the
// tests of all statements and migrations, and the proofs that depend on PostgreSQL's version:
// locks, the write-ahead log, replication, dump and restore. Sizes are small, but limits are the
// same. `--full` runs every proof on both at full size, which takes hours: 50 kills instead of 4 to
// 7, an hour of fuzzing instead of 20 s, 2 GB of cards instead of 200 MB. Named files run on both.
// The proofs of the packages, the image and the systemd units run once, because all of them contain
// the packaged PostgreSQL.
//
// With CITUS_BIN (scripts/citus.ts), files run once, on Citus; `citus*.proof.ts` run only then.
import { globSync } from 'node:fs';
import { type Binaries, findPackagedBinaries } from '../server/src/database/packaged/binaries.ts';
import { findCitus } from './citus.ts';
import { findPostgres } from './postgres.ts';
import { EXIT_INTERRUPTED, runTestFiles } from './run-test-files.ts';

const isFull = process.argv.includes('--full');
const given = process.argv.slice(2).filter((argument) => argument !== '--full');
const patterns = given.length > 0 ? given : ['server/prove/**/*.proof.ts'];

/** Proofs that run alone, because they measure rates, times or memory. */
const ALONE = /(?:demo-memory|photos|search|webhook-burst)\.proof\.ts$/;
/** The number of other proofs that run at a time. Proofs spend half of their time waiting. */
const SIDE_BY_SIDE = 3;
/** Proofs whose outcome may depend on the version of PostgreSQL. */
const BY_VERSION =
  /\/(?:failover|feed|kills|refresh-kills|restore|restored-database|sync)\.proof\.ts$/;
/** Proofs that run once, because they contain the packaged PostgreSQL. */
const ONCE = /\/(?:container|packages|systemd)\.proof\.ts$/;
/** The longest proofs start first, so that none runs alone at the end. */
const LONG = /(?:container|fuzz|webhooks|\/kills)\.proof\.ts$/;

const OF_CITUS = /\/citus[^/]*\.proof\.ts$/;

const isOnCitus = findCitus() !== null;
const matching = patterns.flatMap((pattern) => globSync(pattern));
if (matching.length === 0) {
  console.error(
    `No file matches ${patterns.join(' ')}. Give paths, such as server/prove/feed.proof.ts.`,
  );
  process.exit(1);
}
const proofs = matching.filter((file) => isOnCitus || !OF_CITUS.test(file)).toSorted();
if (!isOnCitus) console.log('# Skipped: citus*.proof.ts, because CITUS_BIN is not set');
/** Tests of every statement and migration, which also run on the server of this machine. */
const SQL_TESTS = ['migrate', 'schema', 'statement'].map(
  (name) => `server/src/database/${name}.test.ts`,
);

const installedBinaries = isOnCitus ? null : findPostgres();
const ofVersion = proofs.filter((file) => (isFull ? !ONCE.test(file) : BY_VERSION.test(file)));
const runs = [
  ...groupsOf(findPackagedBinaries(), proofs),
  ...(installedBinaries === null
    ? []
    : groupsOf(
        installedBinaries,
        given.length > 0 ? proofs.filter((file) => !ONCE.test(file)) : [...SQL_TESTS, ...ofVersion],
      )),
];

function groupsOf(
  binaries: Binaries,
  files: readonly string[],
): {
  readonly binaries: Binaries;
  readonly files: readonly string[];
  readonly concurrency: number;
}[] {
  const sideBySide = files.filter((file) => !ALONE.test(file));
  return [
    {
      binaries,
      files: sideBySide.toSorted((a, b) => Number(LONG.test(b)) - Number(LONG.test(a))),
      concurrency: SIDE_BY_SIDE,
    },
    { binaries, files: files.filter((file) => ALONE.test(file)), concurrency: 1 },
  ].filter((group) => group.files.length > 0);
}

for (const run of runs) {
  console.log(isOnCitus ? '# Citus' : `# PostgreSQL ${run.binaries.major}`);
  const { exitCode } = await runTestFiles({
    ...run,
    batches: run.files.map((file) => [file]),
    isDurable: true,
    timeoutMs: isFull ? 5_400_000 : 600_000,
    environment: isFull ? { PROVE_FULL: '1' } : {},
  });
  if (exitCode !== 0) process.exitCode = exitCode;
  if (exitCode === EXIT_INTERRUPTED) break;
}
