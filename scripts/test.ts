// Runs the tests: `node scripts/test.ts [file or glob …]`. Starts a throw-away PostgreSQL where there is one.
import { spawn } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import pg from 'pg';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { migrate } from '../server/src/database/migrate.ts';
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
