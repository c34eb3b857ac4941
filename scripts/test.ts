// Runs the tests: `node scripts/test.ts [file or glob …]`. Starts a throw-away PostgreSQL where there is one.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { listMigrations, migrate } from '../server/src/database/migrate.ts';
import { pgliteEngine } from '../server/src/database/pglite-engine.ts';
import { findPostgres, startCluster } from './postgres.ts';

const isStrict = process.env['CI'] === 'true';
const leftOut: string[] = [];
const environment: NodeJS.ProcessEnv = { ...process.env };

const bin = findPostgres();
const cluster = bin === null ? null : await startCluster(bin, { isDurable: false });
if (cluster === null) {
  leftOut.push('PostgreSQL (Debian: postgresql-15)');
} else {
  await makeTemplate(cluster.url);
  environment['TEST_POSTGRES_URL'] = cluster.url;
}
environment['TEST_PGLITE_DUMP'] = await makeDump();
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => existsSync(path),
);
if (chromium === undefined) leftOut.push('the browser (Debian: chromium)');
else environment['TEST_CHROMIUM'] = chromium;

let code = 1;
try {
  if (isStrict && leftOut.length > 0) {
    console.error(`CI=true, but this machine lacks ${leftOut.join(' and ')}`);
  } else {
    const given = process.argv.slice(2);
    const files = given.length > 0 ? given : ['server/**/*.test.ts', 'scripts/**/*.test.ts'];
    code = await runTests(files.flatMap((pattern) => globSync(pattern)).toSorted());
    if (leftOut.length > 0) console.log(`Left out on this machine: ${leftOut.join('; ')}`);
  }
} finally {
  await cluster?.stop();
}
process.exitCode = code;

async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create database cardport_template');
  await client.end();
  await migrate(postgresqlEngine(url.replace(/\/postgres$/, '/cardport_template')));
}

/** The embedded engine with the migrated schema, kept from run to run as long as neither changes. */
async function makeDump(): Promise<string> {
  const cluster = new URL(
    '../server/src/database/pglite/empty-cluster.tar.zst',
    import.meta.url,
  );
  const hash = createHash('sha256').update(readFileSync(cluster));
  for (const migration of listMigrations()) hash.update(`${migration.name}\0${migration.text}\0`);
  const file = join(tmpdir(), `cardport-test-${hash.digest('hex').slice(0, 16)}.tar`);
  if (existsSync(file)) return file;
  const engine = await pgliteEngine({ folder: null });
  await migrate(engine);
  // Whole or not at all: another run may look for it meanwhile.
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, await engine.dump());
  await engine.close();
  renameSync(unfinished, file);
  return file;
}

async function runTests(files: readonly string[]): Promise<number> {
  const child = spawn(
    process.execPath,
    ['--test', '--test-concurrency=2', '--test-timeout=180000', ...files],
    { stdio: 'inherit', env: environment },
  );
  return await new Promise((resolve) => {
    child.once('exit', (exitCode) => resolve(exitCode ?? 1));
  });
}
