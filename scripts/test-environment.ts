import { existsSync } from 'node:fs';
import pg from 'pg';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { migrate } from '../server/src/database/migrate.ts';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { type Cluster, startCluster } from './postgres.ts';
import { openLeftovers } from './test-leftovers.ts';

/** What tests need: a PostgreSQL server and a browser. */
export interface TestEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** What this machine lacks, with the package that provides it. */
  readonly missing: readonly string[];
  /** Shuts it down. Returns the command lines of processes that outlived their tests. */
  close(): Promise<readonly string[]>;
}

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Prepares the test environment. `isDurable` makes the server commit to disk as in production;
 * `binaries` is null for tests without a server.
 */
export async function openTestEnvironment(
  binaries: Binaries | null,
  isDurable: boolean,
): Promise<TestEnvironment> {
  const { TMPDIR: outer } = process.env;
  const leftovers = openLeftovers(!isDurable);
  process.env['TMPDIR'] = leftovers.variables.TMPDIR;
  let cluster: Cluster | undefined;
  const close = async (): Promise<readonly string[]> => {
    await cluster?.stop();
    if (outer === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = outer;
    return await leftovers.close();
  };
  const databaseVariables: Record<string, string> = {};
  try {
    if (binaries !== null) {
      cluster = await startCluster(binaries, { isDurable });
      await makeTemplate(cluster.url);
      databaseVariables['TEST_POSTGRES_URL'] = cluster.url;
      databaseVariables['TEST_POSTGRES_BIN'] = binaries.folder;
      databaseVariables['TEST_POSTGRES_MAJOR'] = String(binaries.major);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const browser = BROWSERS.find((path) => existsSync(path));
  return {
    variables: {
      ...leftovers.variables,
      ...databaseVariables,
      ...(browser === undefined ? {} : { TEST_CHROMIUM: browser }),
    },
    missing: browser === undefined ? ['the browser (Debian: chromium)'] : [],
    close,
  };
}

/** A migrated, empty database from which each test's database is copied. */
async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create database cardport_template');
  await client.end();
  await migrate(postgresqlEngine(url.replace(/\/postgres$/, '/cardport_template')));
}
