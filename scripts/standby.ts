import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { waitUntil } from '../server/test/wait-until.ts';
import { type Cluster, type ClusterOptions, makeClusterFolder, startCluster } from './postgres.ts';

/** The settings of a primary and of its standby. */
export const REPLICATION_SETTINGS: Readonly<Record<string, string>> = {
  wal_level: 'replica',
  max_wal_senders: '5',
  // Keeps the WAL that is written while the files are copied.
  wal_keep_size: '256MB',
};

const STREAMING_MS_MAX = 30_000;
/** The new server creates the contents of these folders. */
const EMPTY_FOLDERS: ReadonlySet<string> = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
]);
const EXCLUDED_FILES: ReadonlySet<string> = new Set(['postmaster.pid', 'postmaster.opts']);

/**
 * Starts a standby of a running server that has `REPLICATION_SETTINGS`. The primary then waits for
 * the standby: a commit returns when both servers have it on disk. The standby starts from a copy
 * of the primary's files, because the npm packages lack pg_basebackup.
 */
export async function startStandby(
  binaries: Binaries,
  primary: Cluster,
  options: Omit<ClusterOptions, 'folder'>,
): Promise<Cluster> {
  const folder = await copyCluster(primary);
  try {
    writeFileSync(join(folder, 'data/standby.signal'), '');
    const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
    const settings = { ...REPLICATION_SETTINGS, ...options.settings, primary_conninfo: conninfo };
    const standby = await startCluster(binaries, { ...options, settings, folder });
    await withClient(primary.url, async (client) => {
      await client.query(`alter system set synchronous_standby_names = '*'`);
      await client.query('select pg_reload_conf()');
      await waitUntil(async () => await isSynchronous(client), STREAMING_MS_MAX);
    });
    return standby;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Makes a base backup: copies the files of a running server to a new cluster folder. To become
 * consistent, the copy needs the WAL that is written while files are copied, from the server or
 * from an archive.
 */
export async function copyCluster(running: Cluster): Promise<string> {
  const folder = makeClusterFolder();
  const data = join(folder, 'data');
  try {
    await withClient(running.url, async (client) => {
      await client.query(`select pg_backup_start('copy', true)`);
      copyRunning(running.data, data);
      const { rows } = await client.query<{ label: string }>(
        'select labelfile as label from pg_backup_stop(false)',
      );
      writeFileSync(join(data, 'backup_label'), rows[0]?.label ?? '');
    });
    // Drop the primary's settings. Otherwise the copy would wait for a standby after its promotion.
    writeFileSync(join(data, 'postgresql.auto.conf'), '');
    // Record the copy's own inode. Otherwise it is refused as the copy of a running cluster.
    writeFileSync(join(data, 'cardport.inode'), String(statSync(data, { bigint: true }).ino));
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

export async function promote(standby: Cluster): Promise<void> {
  await withClient(standby.url, async (client) => {
    await client.query('select pg_promote()');
  });
}

async function isSynchronous(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_stat_replication where application_name = 'standby' and sync_state = 'sync'`,
  );
  return rows.length > 0;
}

/**
 * Copies the data folder of a running server. Files may change or disappear during the copy:
 * replaying the WAL repairs that.
 */
function copyRunning(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (EMPTY_FOLDERS.has(entry.name)) mkdirSync(target, { mode: 0o700 });
    else if (entry.isDirectory()) copyRunning(source, target);
    else if (entry.isFile() && !EXCLUDED_FILES.has(entry.name)) copyIfExists(source, target);
  }
}

function copyIfExists(source: string, target: string): void {
  try {
    copyFileSync(source, target);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
}
