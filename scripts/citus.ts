import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { type Cluster, type ClusterOptions, startCluster } from './postgres.ts';

/** A coordinator and its workers on loopback ports. */
export interface CitusNodes {
  readonly coordinator: Pick<Cluster, 'url' | 'port'>;
  readonly workers: readonly Pick<Cluster, 'url' | 'port'>[];
}

export interface CitusCluster extends CitusNodes {
  readonly coordinator: Cluster;
  readonly workers: readonly Cluster[];
  stop(): Promise<void>;
}

const WORKERS = 2;

/**
 * The settings of a Citus node. The number of shards is small, because each table of each test
 * database has this many.
 */
export const CITUS_SETTINGS: Readonly<Record<string, string>> = {
  shared_preload_libraries: 'citus',
  'citus.shard_count': '4',
  'citus.enable_statistics_collection': 'off',
  // By default Citus requires TLS between nodes, and would create a certificate.
  'citus.node_conninfo': 'sslmode=prefer',
  wal_level: 'logical',
  max_wal_senders: '10',
  // Moved shards are copied by logical replication.
  max_logical_replication_workers: '8',
  max_prepared_transactions: '400',
  max_connections: '400',
  // Citus runs one background process per database.
  max_worker_processes: '200',
};

/**
 * Returns the PostgreSQL with the Citus extension in `CITUS_BIN`, the folder that contains
 * `postgres`. Returns null if `CITUS_BIN` is not set. Throws if the folder has no `postgres`.
 */
export function findCitus(): Binaries | null {
  const folder = process.env['CITUS_BIN'] ?? '';
  if (folder === '') return null;
  if (!existsSync(join(folder, 'postgres'))) {
    throw new Error(`CITUS_BIN: there is no postgres in ${folder}`);
  }
  const version = execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  return { folder, major: Number(/\) (\d+)/.exec(version)?.[1]) };
}

/** Starts the coordinator and the workers. `createOnNodes` creates a database across them. */
export async function startCitus(
  binaries: Binaries,
  options: ClusterOptions,
): Promise<CitusCluster> {
  const started: Cluster[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(async (cluster) => await cluster.stop()));
  };
  try {
    for (let node = 0; node <= WORKERS; node += 1) {
      started.push(await startCitusNode(binaries, options));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const [coordinator, ...workers] = started;
  if (coordinator === undefined) throw new Error('no server was started');
  return { coordinator, workers, stop };
}

/** Starts a server with the Citus extension that belongs to no cluster yet. */
export async function startCitusNode(
  binaries: Binaries,
  options: ClusterOptions,
): Promise<Cluster> {
  const settings = { ...CITUS_SETTINGS, ...options.settings };
  return await startCluster(binaries, { ...options, settings });
}

/**
 * Creates a database on every node. The coordinator's database distributes its tables over the
 * workers.
 */
export async function createOnNodes(nodes: CitusNodes, name: string): Promise<void> {
  for (const { url } of [nodes.coordinator, ...nodes.workers]) {
    await runOn(url, `create database ${name}`);
  }
  await installOnNodes(nodes, name);
}

/** Creates a database with Citus on a server that is to become a worker. */
export async function installOnNode(url: string, name: string): Promise<void> {
  await runOn(url, `create database ${name}`);
  await runOn(urlOf(url, name), 'create extension citus');
}

/** Installs Citus in a database of every node, and registers the workers on the coordinator. */
export async function installOnNodes(
  { coordinator, workers }: CitusNodes,
  name: string,
): Promise<void> {
  for (const { url } of [coordinator, ...workers]) {
    await runOn(urlOf(url, name), 'create extension citus');
  }
  const { port } = coordinator;
  await runOn(
    urlOf(coordinator.url, name),
    `select citus_set_coordinator_host('127.0.0.1', ${port})`,
    ...workers.map((worker) => `select citus_add_node('127.0.0.1', ${worker.port})`),
  );
}

/**
 * Closes all connections, including those of Citus, because they would block `create database …
 * template`.
 */
export async function prepareAsTemplate(
  { coordinator, workers }: CitusNodes,
  name: string,
): Promise<void> {
  for (const { url } of [coordinator, ...workers]) {
    await runOn(
      url,
      `update pg_database set datallowconn = false where datname = '${name}'`,
      `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
    );
  }
}

function urlOf(url: string, database: string): string {
  return url.replace(/\/postgres$/, `/${database}`);
}

async function runOn(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const text of statements) await client.query(text);
  } finally {
    await client.end();
  }
}
