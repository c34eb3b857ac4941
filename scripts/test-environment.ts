import { existsSync } from 'node:fs';
import pg from 'pg';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { migrate } from '../server/src/database/migrate.ts';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { startCluster } from './postgres.ts';

/** What tests run with: a PostgreSQL server and a browser. */
export interface TestEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** What this machine lacks, each with the package that brings it. */
  readonly leftOut: readonly string[];
  close(): Promise<void>;
}

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Prepares the tests' environment. `isDurable` makes the server commit to disk, as in production. */
export async function openTestEnvironment(
  binaries: Binaries,
  isDurable: boolean,
): Promise<TestEnvironment> {
  const cluster = await startCluster(binaries, { isDurable });
  try {
    await makeTemplate(cluster.url);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  const browser = BROWSERS.find((path) => existsSync(path));
  return {
    variables: {
      TEST_POSTGRES_URL: cluster.url,
      TEST_POSTGRES_BIN: binaries.folder,
      TEST_POSTGRES_MAJOR: String(binaries.major),
      ...(browser === undefined ? {} : { TEST_CHROMIUM: browser }),
    },
    leftOut: browser === undefined ? ['the browser (Debian: chromium)'] : [],
    close: async () => await cluster.stop(),
  };
}

/** A migrated, empty database that every test's own is copied from. */
async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create database cardport_template');
  await client.end();
  await migrate(postgresqlEngine(url.replace(/\/postgres$/, '/cardport_template')));
}
