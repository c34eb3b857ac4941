import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from '../server/src/base/free-port.ts';

/** A PostgreSQL cluster of our own: made in a temporary folder, stopped and removed at the end. */
export interface Cluster {
  /** `postgres://…/postgres` as its superuser. */
  readonly url: string;
  /** Kills every process of the server at once (SIGKILL), as a power cut would end them. */
  crash(): Promise<void>;
  /** Starts the server again after a crash, on the same port and data, and waits until it has recovered. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  /** True makes commits durable, as in production; false is quicker, for tests that kill no database. */
  readonly isDurable: boolean;
}

/** The newest server that Debian installed, or null when there is none. */
export function findPostgres(): string | null {
  const root = '/usr/lib/postgresql';
  if (!existsSync(root)) return null;
  const versions = readdirSync(root)
    .map(Number)
    .filter((version) => version >= 15 && existsSync(join(root, String(version), 'bin/postgres')))
    .toSorted((a, b) => a - b);
  const version = versions[0];
  return version === undefined ? null : join(root, String(version), 'bin');
}

/**
 * Starts a throw-away cluster on a free loopback port. As root it runs as the user `postgres`, because the server
 * refuses root.
 */
export async function startCluster(bin: string, options: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'cardport-postgres-'));
  const owner = serverUser();
  if (owner !== null) chownSync(folder, owner.uid, owner.gid);
  chmodSync(folder, 0o700);
  const as = owner ?? {};
  const data = join(folder, 'data');
  const watcher = startWatcher(bin, folder, as);
  execFileSync(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'],
    { stdio: 'pipe', cwd: folder, ...as },
  );
  const port = await findFreePort();
  const durable = options.isDurable ? 'on' : 'off';
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: folder,
    max_connections: '200',
    shared_buffers: '256MB',
    fsync: durable,
    full_page_writes: durable,
    synchronous_commit: durable,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const start = (): ChildProcess =>
    spawn(join(bin, 'postgres'), ['-D', data, ...args], { stdio: 'ignore', cwd: folder, ...as });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let child = start();
  try {
    await waitUntilReady(url, child);
  } catch (error) {
    await stop(child, folder);
    watcher.stdin?.end();
    throw error;
  }
  return {
    url,
    crash: async () => await crash(child),
    restart: async () => {
      child = start();
      await waitUntilReady(url, child);
    },
    stop: async () => {
      await stop(child, folder);
      watcher.stdin?.end();
    },
  };
}

/**
 * What the watcher does: its input ends when this process does, however that ends. A server that has not told its pid yet
 * is not found, and ends by itself within a minute of its data's removal.
 */
const WATCH = `cat
if [ -d "$2" ]; then "$1/pg_ctl" -D "$2/data" -m immediate -w stop; rm -rf "$2"; fi`;

/** Starts a process of a session of its own that takes the cluster down when this one is gone, also by SIGKILL. */
function startWatcher(bin: string, folder: string, as: object): ChildProcess {
  const watcher = spawn('sh', ['-c', WATCH, 'sh', bin, folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    detached: true,
    ...as,
  });
  watcher.unref();
  return watcher;
}

async function crash(postmaster: ChildProcess): Promise<void> {
  const pid = postmaster.pid ?? 0;
  const backends = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
  const ended = new Promise((resolve) => postmaster.once('exit', resolve));
  for (const one of [pid, ...backends]) process.kill(one, 'SIGKILL');
  await ended;
  // Shared memory stays in use until the last of them is gone, and a new server would refuse to start.
  for (let attempt = 0; backends.some((backend) => isAlive(backend)); attempt++) {
    if (attempt > 500) throw new Error('backends of PostgreSQL outlived SIGKILL for 5 s');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function serverUser(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const uid = Number(execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }));
  const gid = Number(execFileSync('id', ['-g', 'postgres'], { encoding: 'utf8' }));
  return { uid, gid };
}

async function waitUntilReady(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended with code ${child.exitCode}`);
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error('PostgreSQL was not ready after 30 s');
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
}
