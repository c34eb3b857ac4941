import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../src/database/database.ts';
import type { Engine } from '../src/database/engine.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { configureWorkers } from '../src/database/placement.ts';
import { postgresqlEngine } from '../src/database/postgresql-engine.ts';

/** An empty, migrated database for one test. */
export interface TestDatabase extends AsyncDisposable {
  readonly engine: Engine;
  readonly db: Database;
  /** The `postgres://…` URL of the database. */
  readonly url: string;
  close(): Promise<void>;
}

/** Creates a database from the migrated template on the test server, and drops it at the end. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const adminUrl = process.env['TEST_POSTGRES_URL'];
  if (adminUrl === undefined) {
    throw new Error('TEST_POSTGRES_URL is not set: run tests with npm test');
  }
  const name = `test_${randomBytes(8).toString('hex')}`;
  // Copying the files takes half as long as writing every page to the log.
  const copy = `create database ${name} template cardport_template strategy file_copy`;
  const workers = workerUrls();
  await Promise.all([adminUrl, ...workers].map(async (node) => await runAsAdmin(node, copy)));
  const url = adminUrl.replace(/\/postgres$/, `/${name}`);
  const engine = postgresqlEngine(url);
  if (workers.length > 0) await configureCopy(url);
  const db = openDatabase(engine, { onFault: reportFault });
  const close = async (): Promise<void> => {
    await db.close();
    await engine.close();
    // PostgreSQL waits up to 5 s for a connection that was just closed. Forcing the connection to
    // close immediately would send it an error, which ends the test process if the error has no
    // listener.
    const forced = `drop database if exists ${name} with (force)`;
    if (workers.length > 0) await runAsAdmin(adminUrl, ...endProcessesOfCitus(name));
    await runAsAdmin(adminUrl, `drop database if exists ${name}`).catch(async () => {
      await runAsAdmin(adminUrl, forced);
    });
    // On a worker, force immediately, because only other nodes are connected.
    await Promise.all(
      workers.map(async (worker) => await runAsAdmin(worker, ...endProcessesOfCitus(name), forced)),
    );
  };
  return { engine, db, url, close, [Symbol.asyncDispose]: close };
}

/** Returns the URLs of Citus's worker nodes. Each node has shards of every test database. */
function workerUrls(): readonly string[] {
  return (process.env['TEST_CITUS_WORKERS'] ?? '').split(',').filter((url) => url !== '');
}

// `create database … template` does not copy the settings that `migrate` sets on the workers.
async function configureCopy(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await configureWorkers(client);
  } finally {
    await client.end();
  }
}

/**
 * Returns SQL that ends the process that Citus keeps for each database, and prevents its restart.
 * Otherwise `drop database` would wait 5 s, or fail.
 */
function endProcessesOfCitus(name: string): readonly string[] {
  return [
    `alter database ${name} allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = '${name}' and backend_type like 'Citus%'`,
  ];
}

async function runAsAdmin(adminUrl: string, ...texts: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
}

function reportFault(error: Error): void {
  console.error('database fault', error);
}
