import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { listMigrations, migrate } from '../server/src/database/migrate.ts';
import { pgliteEngine } from '../server/src/database/pglite-engine.ts';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { findPostgres, startCluster } from './postgres.ts';

/** What tests run with: both engines prepared, and a browser. */
export interface TestEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** What this machine lacks, each with the package that brings it. */
  readonly leftOut: readonly string[];
  close(): Promise<void>;
}

const DUMP_PREFIX = 'cardport-test-';
/** A dump of another schema is of no use by then, and takes 25 MB. */
const DUMP_KEPT_MS = 24 * 60 * 60 * 1_000;
const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Prepares the tests' environment. `isDurable` makes the throw-away PostgreSQL commit to disk, as in production. */
export async function openTestEnvironment(isDurable: boolean): Promise<TestEnvironment> {
  const variables: Record<string, string> = { TEST_PGLITE_DUMP: await makeDump() };
  const leftOut: string[] = [];
  const browser = BROWSERS.find((path) => existsSync(path));
  if (browser === undefined) leftOut.push('the browser (Debian: chromium)');
  else variables['TEST_CHROMIUM'] = browser;
  const bin = findPostgres();
  if (bin === null) {
    leftOut.push('PostgreSQL (Debian: postgresql-15)');
    return { variables, leftOut, close: async () => undefined };
  }
  const cluster = await startCluster(bin, { isDurable });
  try {
    await makeTemplate(cluster.url);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  variables['TEST_POSTGRES_URL'] = cluster.url;
  return { variables, leftOut, close: async () => await cluster.stop() };
}

/** A migrated, empty database that every test's own is copied from. */
async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create database cardport_template');
  await client.end();
  await migrate(postgresqlEngine(url.replace(/\/postgres$/, '/cardport_template')));
}

/** The embedded engine with the migrated schema, kept from run to run as long as neither changes. */
async function makeDump(): Promise<string> {
  const cluster = new URL('../server/src/database/pglite/empty-cluster.tar.zst', import.meta.url);
  const hash = createHash('sha256').update(readFileSync(cluster));
  for (const { name, text } of listMigrations()) hash.update(`${name}\0${text}\0`);
  const name = `${DUMP_PREFIX}${hash.digest('hex').slice(0, 16)}.tar`;
  const file = join(tmpdir(), name);
  removeOldDumps(name);
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

function removeOldDumps(current: string): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(DUMP_PREFIX) || name === current) continue;
    const file = join(tmpdir(), name);
    const changedAtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (Date.now() - changedAtMs > DUMP_KEPT_MS) rmSync(file, { force: true });
  }
}
