import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Binaries } from '../server/src/database/packaged/binaries.ts';
import { waitUntil } from '../server/test/wait-until.ts';
import { type Cluster, makeClusterFolder, startCluster } from './postgres.ts';

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
 * Starts a standby of a running server that has `REPLICATION_SETTINGS`, and makes the primary wait for it: a
 * commit returns when both servers have it on disk. The standby starts from a copy of the primary's
 * files, because the npm packages lack pg_basebackup.
 */
export async function startStandby(
  binaries: Binaries,
  primary: Cluster,
  options: { readonly isDurable: boolean; readonly port?: number },
): Promise<Cluster> {
  const folder = makeClusterFolder();
  const data = join(folder, 'data');
  const client = new pg.Client({ connectionString: primary.url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`select pg_backup_start('standby', true)`);
    copyRunning(primary.data, data);
    const { rows } = await client.query<{ label: string }>(
      'select labelfile as label from pg_backup_stop(false)',
    );
    writeFileSync(join(data, 'backup_label'), rows[0]?.label ?? '');
    writeFileSync(join(data, 'standby.signal'), '');
    // Without this, the standby would wait for a standby after its promotion.
    writeFileSync(join(data, 'postgresql.auto.conf'), '');
    // Without the inode of its own folder, the copy of a running cluster would be refused.
    writeFileSync(join(data, 'cardport.inode'), String(statSync(data, { bigint: true }).ino));
    const conninfo = `host=127.0.0.1 port=${primary.port} user=postgres application_name=standby`;
    const settings = { ...REPLICATION_SETTINGS, primary_conninfo: conninfo };
    const standby = await startCluster(binaries, { ...options, settings, folder });
    await client.query(`alter system set synchronous_standby_names = '*'`);
    await client.query('select pg_reload_conf()');
    await waitUntil(async () => await isSynchronous(client), STREAMING_MS_MAX);
    return standby;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    await client.end();
  }
}

export async function promote(standby: Cluster): Promise<void> {
  const client = new pg.Client({ connectionString: standby.url });
  await client.connect();
  await client.query('select pg_promote()');
  await client.end();
}

async function isSynchronous(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(
    `select from pg_stat_replication where application_name = 'standby' and sync_state = 'sync'`,
  );
  return rows.length > 0;
}

/** Copies a data folder. Files may change or disappear meanwhile: replaying the WAL mends that. */
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
