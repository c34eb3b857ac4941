import type pg from 'pg';
import { splitHosts } from '../base/database-url.ts';
import type { Engine } from './engine.ts';
import { Hosts } from './hosts.ts';

/** After it the caller gets a 503 instead of piling up. */
const LOCK_TIMEOUT_MS = 5_000;
/** A transaction that is idle longer has lost its process; its locks must not outlive it. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** By design no statement of the service takes longer; migrations disable the limit. */
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;

export const sessionSettings = {
  application_name: 'cardport',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  // JIT compilation adds 40 to 310 ms to statements of a few ms; none here is worth it.
  options: '-c jit=off',
  keepAlive: true,
} satisfies pg.ClientConfig;

/**
 * PostgreSQL 15 or later at `url` (`postgres://…`, with one host or several).
 * @throws DatabaseUrlError, or the error of a TLS file that cannot be read.
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
