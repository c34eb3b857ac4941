import { platform } from 'node:process';

/** What a cluster is for. */
export interface ClusterUse {
  readonly major: number;
  /** False for tests and the emulator: nothing is synced to the disk, and a crash of the machine may destroy it. */
  readonly isDurable: boolean;
  /** The TCP port on 127.0.0.1; null: the socket in the folder alone. */
  readonly port: number | null;
}

/** The name that the socket's file gets where there is no port. */
export const SOCKET_PORT = 5432;

/** Settings for a small machine. Whoever has to tune PostgreSQL runs a server of their own (DATABASE_URL). */
export function serverSettings({ major, isDurable, port }: ClusterUse): Record<string, string> {
  return {
    listen_addresses: port === null ? '' : '127.0.0.1',
    port: String(port ?? SOCKET_PORT),
    // Relative to the data folder, whose own path may be longer than a socket's address can be.
    unix_socket_directories: '.',
    max_connections: port === null ? '100' : '200',
    shared_buffers: port === null ? '64MB' : '256MB',
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
    timezone: 'UTC',
    log_timezone: 'UTC',
    // Errors of statements reach the client that sent them.
    log_min_messages: 'log',
    log_checkpoints: 'off',
    log_line_prefix: '',
    ...(isDurable ? durable : volatile),
  };
}

/** macOS's fsync leaves data in the disk's own cache. */
const durable: Record<string, string> =
  platform === 'darwin' ? { wal_sync_method: 'fsync_writethrough' } : {};

const volatile = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** As arguments of `postgres`. */
export function asArguments(settings: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/**
 * The environment of PostgreSQL's programs: nothing of this process's, so that no variable of libpq and no locale of the
 * user's shell has a say.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], LC_ALL: 'C' };
}
