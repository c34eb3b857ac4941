import { existsSync } from 'node:fs';
import pg from 'pg';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { migrate } from '../server/src/database/migrate.ts';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { prepareAsTemplate, createOnNodes, findCitus, startCitus } from './citus.ts';
import { startCluster } from './postgres.ts';
import { startCleanup } from './test-cleanup.ts';

/** The PostgreSQL server and the browser of a test run. */
export interface TestEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** The programs that this machine lacks, and the packages that provide them. */
  readonly missing: readonly string[];
  /**
   * Shuts down the environment. Returns the command lines of processes that outlived their tests.
   */
  close(): Promise<readonly string[]>;
}

const BROWSERS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/**
 * Opens the environment of a test run.
 *
 * @param binaries null for tests without a server
 * @param isDurable true: the server commits to disk, as in production
 */
export async function openTestEnvironment(
  binaries: Binaries | null,
  isDurable: boolean,
): Promise<TestEnvironment> {
  const { TMPDIR: outer } = process.env;
  const cleanup = startCleanup(!isDurable);
  process.env['TMPDIR'] = cleanup.variables.TMPDIR;
  let cluster: Awaited<ReturnType<typeof startServer>> | undefined;
  const close = async (): Promise<readonly string[]> => {
    await cluster?.stop();
    if (outer === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = outer;
    return await cleanup.close();
  };
  const databaseVariables: Record<string, string> = {};
  try {
    if (binaries !== null) {
      const server = await startServer(binaries, isDurable);
      cluster = server;
      Object.assign(databaseVariables, server.variables);
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
      ...cleanup.variables,
      ...databaseVariables,
      ...(browser === undefined ? {} : { TEST_CHROMIUM: browser }),
    },
    missing: browser === undefined ? ['the browser (Debian: chromium)'] : [],
    close,
  };
}

/**
 * Starts the server, or Citus if `CITUS_BIN` is set. On Citus, each node has the template database.
 */
async function startServer(
  binaries: Binaries,
  isDurable: boolean,
): Promise<{
  readonly variables: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}> {
  const citus = findCitus();
  if (citus === null) {
    const cluster = await startCluster(binaries, { isDurable });
    await makeTemplate(cluster.url);
    return {
      variables: { TEST_POSTGRES_URL: cluster.url },
      stop: async () => await cluster.stop(),
    };
  }
  const nodes = await startCitus(citus, { isDurable });
  try {
    await createOnNodes(nodes, 'cardport_template');
    const { url } = nodes.coordinator;
    await migrate(postgresqlEngine(url.replace(/\/postgres$/, '/cardport_template')));
    await prepareAsTemplate(nodes, 'cardport_template');
    const workers = nodes.workers.map((worker) => worker.url).join(',');
    return {
      variables: { TEST_POSTGRES_URL: url, TEST_CITUS_WORKERS: workers },
      stop: async () => await nodes.stop(),
    };
  } catch (error) {
    await nodes.stop();
    throw error;
  }
}

/** Creates the migrated, empty database from which the database of each test is copied. */
async function makeTemplate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('create database cardport_template');
  await client.end();
  await migrate(postgresqlEngine(url.replace(/\/postgres$/, '/cardport_template')));
}
