import { platform } from 'node:process';

/** The number in the socket's file name; the server has no TCP port. */
export const SOCKET_PORT = 5432;

/** Settings for a small machine. To tune PostgreSQL, run a separate server (DATABASE_URL). */
export function serverSettings(major: number): Readonly<Record<string, string>> {
  return {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    // Relative to the data folder, because the full path may be too long for a socket address.
    unix_socket_directories: '.',
    max_connections: '100',
    shared_buffers: '64MB',
    huge_pages: 'off',
    max_parallel_workers: '0',
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    max_logical_replication_workers: '0',
    autovacuum_max_workers: '2',
    ...(major >= 18 ? { io_method: 'sync' } : {}),
    // No standby reads the WAL.
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '256MB',
    min_wal_size: '64MB',
    // On macOS, fsync leaves data in the disk's cache.
    ...(platform === 'darwin' ? { wal_sync_method: 'fsync_writethrough' } : {}),
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Statement errors go to the client that sent the statement.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    log_line_prefix: '',
  };
}

/** Settings for a database that need not survive a crash: it never waits for the disk. */
export const NON_DURABLE_SETTINGS: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

export function toServerArguments(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Contains only PATH, because libpq variables and the user's locale must not affect PostgreSQL. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' };
}
