import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '../server/src/base/free-port.ts';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { openPackaged } from '../server/src/database/packaged/packaged-server.ts';
import { copyEmptyCluster } from '../server/test/new-cluster.ts';
import { waitUntil } from '../server/test/wait-until.ts';

/**
 * A PostgreSQL server for tests. It ends with this process, and its temporary folder is removed.
 */
export interface Cluster {
  /** The URL of the database `postgres`, for the superuser. */
  readonly url: string;
  readonly port: number;
  /** PostgreSQL's data folder. */
  readonly data: string;
  /** Kills every process of the server (SIGKILL), as a power failure would, and restarts it. */
  crash(): Promise<void>;
  /** Waits until the server responds again after a crash. */
  restart(): Promise<void>;
  /** Kills every process of the server immediately, without a restart. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /**
   * True if commits are durable, as in production. False is faster, and is enough for tests that do
   * not kill the database.
   */
  readonly isDurable: boolean;
  /** The port of the server. Defaults to a free port. */
  readonly port?: number;
  /** Server settings in addition to the common ones. */
  readonly settings?: Readonly<Record<string, string>>;
  /** An existing cluster folder. Defaults to a new one. */
  readonly folder?: string;
}

const RESTART_MS_MAX = 30_000;

/** Returns the oldest supported PostgreSQL of this machine (in Debian's location), or null. */
export function findPostgres(): Binaries | null {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return null;
  const major = readdirSync(root)
    .map(Number)
    .filter((version) => version >= 15 && existsSync(join(root, String(version), 'bin/postgres')))
    .toSorted((a, b) => a - b)[0];
  return major === undefined ? null : { folder: join(root, String(major), 'bin'), major };
}

/** Starts a server on a loopback port. */
export async function startCluster(
  binaries: Binaries,
  { isDurable, port: givenPort, settings: extraSettings, folder: givenFolder }: ClusterOptions,
): Promise<Cluster> {
  const folder = givenFolder ?? makeClusterFolder();
  // Copy a prepared cluster only in a test run, which deletes its template at the end.
  if (givenFolder === undefined && process.env['TEST_RUN'] !== undefined) {
    await copyEmptyCluster(folder, binaries);
  }
  const port = givenPort ?? (await findFreePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    max_connections: '200',
    shared_buffers: '256MB',
    // Keep shared memory in the data folder, so that a killed server leaves no files elsewhere.
    dynamic_shared_memory_type: 'mmap',
    ...(isDurable
      ? { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }
      : // A shorter time than PostgreSQL's 1 s, because a test waits for a deadlock.
        { deadlock_timeout: '100ms' }),
    ...extraSettings,
  };
  const server = await openPackaged({ folder, binaries, settings, isTemporary: true });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return {
    url,
    port,
    data: join(folder, 'data'),
    crash: async () => {
      if (server.serverPid !== null) crash(server.serverPid);
    },
    restart: async () => await waitUntil(async () => await isReachable(url), RESTART_MS_MAX),
    kill: async () => {
      const { serverPid } = server;
      // Close first, so that the killed server is not restarted.
      const closed = server.close();
      if (serverPid !== null) crash(serverPid);
      await closed;
      // The server's own cleanup runs only after a normal exit.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
    stop: async () => await server.close(),
  };
}

export function makeClusterFolder(): string {
  return mkdtempSync(join(tmpdir(), 'cardport-postgres-'));
}

function crash(postmaster: number): void {
  const backends = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8')
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
  for (const one of [postmaster, ...backends]) {
    try {
      process.kill(one, 'SIGKILL');
    } catch (error) {
      // The process may have ended since it was listed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

async function isReachable(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
