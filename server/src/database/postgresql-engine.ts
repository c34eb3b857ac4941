import type pg from 'pg';
import { splitHosts } from '../base/database-url.ts';
import type { Engine } from './engine.ts';
import { Hosts } from './hosts.ts';

/** Longest wait for a lock; beyond it the caller is told to come again (503) instead of piling up. */
const LOCK_TIMEOUT_MS = 5_000;
/** A transaction that idles longer has lost its process: its locks must not outlive it. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** No statement of the service takes longer by design; a migration lifts it for itself. */
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;

export const sessionSettings = {
  application_name: 'cardport',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  // Compiling takes 40 to 310 ms of statements that take a few; no statement here is long enough to earn it back.
  options: '-c jit=off',
  keepAlive: true,
} satisfies pg.ClientConfig;

/**
 * PostgreSQL 15 or later at `url` (`postgres://…`, with one host or several).
 *
 * @throws DatabaseUrlFault, or the error of a file of TLS that cannot be read.
 */
export function postgresqlEngine(url: string): Engine {
  const configs = splitHosts(url).map((connectionString) => ({
    connectionString,
    ...sessionSettings,
  }));
  const hosts = new Hosts(configs);
  return {
    clientConfig: () => ({ ...configs[0], hosts }),
    close: async () => {},
  };
}
