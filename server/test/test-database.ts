import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Database } from '../src/database/database.ts';
import type { Engine } from '../src/database/engine.ts';
import { openDatabase } from '../src/database/open-database.ts';
import { configureNodes } from '../src/database/placement.ts';
import { postgresqlEngine } from '../src/database/postgresql-engine.ts';
import { citusNodes, IS_ON_CITUS } from './citus-nodes.ts';

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
  const workers = IS_ON_CITUS ? citusNodes().workers.map((worker) => worker.url) : [];
  const nodes = [adminUrl, ...workers];
  // Copying the files takes half as long as writing every page to the log.
  const copy = `create database ${name} template cardport_template strategy file_copy`;
  await Promise.all(nodes.map(async (node) => await runAsAdmin(node, copy)));
  // The copies lack the settings that `migrate` sets on the nodes.
  if (IS_ON_CITUS) await configureNodesOf(name, adminUrl);
  const url = urlOf(adminUrl, name);
  const engine = postgresqlEngine(url);
  const db = openDatabase(engine, { onFault: reportFault });
  const close = async (): Promise<void> => {
    await db.close();
    await engine.close();
    // PostgreSQL waits up to 5 s for a connection that was just closed. Forcing the connection to
    // close immediately would send it an error, which ends the test process if the error has no
    // listener.
    const forced = `drop database if exists ${name} with (force)`;
    if (IS_ON_CITUS) await endProcessesOfCitus(name, [adminUrl, ...workers]);
    await runAsAdmin(adminUrl, `drop database if exists ${name}`).catch(async () => {
      await runAsAdmin(adminUrl, forced);
    });
    // On a worker, force immediately, because only other nodes are connected.
    await Promise.all(workers.map(async (worker) => await runAsAdmin(worker, forced)));
  };
  return { engine, db, url, close, [Symbol.asyncDispose]: close };
}

function urlOf(adminUrl: string, name: string): string {
  return adminUrl.replace(/\/postgres$/, `/${name}`);
}

async function configureNodesOf(name: string, coordinator: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(coordinator, name) });
  await client.connect();
  try {
    await configureNodes(client);
  } finally {
    await client.end();
  }
}

/**
 * Ends the processes of Citus that use a database on any node, and prevents their restart.
 * Otherwise `drop database` would wait 5 s and fail.
 */
async function endProcessesOfCitus(name: string, nodes: readonly string[]): Promise<void> {
  const forbid = `update pg_database set datallowconn = false where datname = '${name}'`;
  const end = `select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = '${name}'
      and (backend_type like 'Citus%' or application_name like 'citus_internal%')`;
  await Promise.all(nodes.map(async (node) => await runAsAdmin(node, forbid, end)));
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
