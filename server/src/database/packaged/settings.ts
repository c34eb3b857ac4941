import { platform } from 'node:process';

/** The name that the socket's file gets where there is no port. */
export const SOCKET_PORT = 5432;

/** Settings for a small machine. To tune PostgreSQL, use a server of your own (DATABASE_URL). */
export function serverSettings(major: number): Readonly<Record<string, string>> {
  return {
    listen_addresses: '',
    port: String(SOCKET_PORT),
    // Relative to the data folder, whose own path may be longer than a socket's address can be.
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
    // No standby reads this log.
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_wal_size: '256MB',
    min_wal_size: '64MB',
    // macOS's fsync leaves data in the disk's own cache.
    ...(platform === 'darwin' ? { wal_sync_method: 'fsync_writethrough' } : {}),
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Errors of statements reach the client that sent them.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    log_line_prefix: '',
  };
}

/** For a database that nobody needs after a crash: nothing waits for the disk. */
export const VOLATILE: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

export function asArguments(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Only PATH: variables of libpq and the user's locale must not affect PostgreSQL. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' };
}
