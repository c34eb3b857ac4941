import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '../server/src/base/free-port.ts';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { openPackaged } from '../server/src/database/packaged/packaged-server.ts';
import { putTemporaryCluster } from '../server/test/new-cluster.ts';
import { waitUntil } from '../server/test/wait-until.ts';

/** A PostgreSQL server for tests in a temporary folder. It ends, and the folder with it, when this process does. */
export interface Cluster {
  /** `postgres://…/postgres` as its superuser. */
  readonly url: string;
  readonly port: number;
  /** PostgreSQL's data folder. */
  readonly data: string;
  /** Kills every process of the server at once (SIGKILL), as a power cut would end them; then it is started again. */
  crash(): Promise<void>;
  /** Waits until the server answers again after a crash. */
  restart(): Promise<void>;
  /** Kills every process of the server at once, for good. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** True makes commits durable, as in production; false is quicker, for tests that kill no database. */
  readonly isDurable: boolean;
  /** A free port by default. */
  readonly port?: number;
  /** Settings of the server besides those of all. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The folder of the cluster, for one that is there already; a new one by default. */
  readonly folder?: string;
}

const RESTART_MS_MAX = 30_000;

/** The oldest server of this machine's own that the service works with (Debian's place), or null. */
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
  { isDurable, port: givenPort, settings: more, folder: givenFolder }: ClusterOptions,
): Promise<Cluster> {
  const folder = givenFolder ?? makeClusterFolder();
  // Only in a test run, which removes the cluster that is copied.
  if (givenFolder === undefined && process.env['TEST_RUN'] !== undefined) {
    await putTemporaryCluster(folder, binaries);
  }
  const port = givenPort ?? (await findFreePort());
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    max_connections: '200',
    shared_buffers: '256MB',
    // Below the data folder, so that a server that was killed leaves nothing elsewhere.
    dynamic_shared_memory_type: 'mmap',
    ...(isDurable
      ? { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }
      : // A test of a deadlock waits for it.
        { deadlock_timeout: '100ms' }),
    ...more,
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
    restart: async () => await waitUntil(async () => await answers(url), RESTART_MS_MAX),
    kill: async () => {
      const { serverPid } = server;
      // First, so that it is not started again.
      const closed = server.close();
      if (serverPid !== null) crash(serverPid);
      await closed;
      // Its runner removes it only at an end in order.
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
    stop: async () => await server.close(),
  };
}

/** An empty folder for a cluster. */
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
      // A backend may have ended since it was listed.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

async function answers(url: string): Promise<boolean> {
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
