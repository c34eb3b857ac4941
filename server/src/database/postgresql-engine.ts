import type pg from 'pg';
import { splitHosts } from '../base/database-url.ts';
import type { Engine } from './engine.ts';
import { Hosts } from './hosts.ts';

/** After a longer wait for a lock the response is 503, so that requests do not pile up. */
const LOCK_TIMEOUT_MS = 5_000;
// If a transaction is idle for this long, its process has died. The timeout releases its locks.
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 10_000;
/** No statement of the service is meant to take longer; migrations disable the limit. */
const STATEMENT_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 5_000;

export const sessionSettings = {
  application_name: 'cardport',
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
  statement_timeout: STATEMENT_TIMEOUT_MS,
  // JIT compilation adds 40 to 310 ms to statements that take a few ms.
  options: '-c jit=off',
  keepAlive: true,
} satisfies pg.ClientConfig;

/** `url` has one or more hosts. Throws DatabaseUrlError, or the error of an unreadable TLS file. */
export function postgresqlEngine(url: string): Engine {
  const configs = splitHosts(url).map((connectionString) => ({
    connectionString,
    ...sessionSettings,
  }));
  const hosts = new Hosts(configs);
  return {
    clientConfig: () => ({ ...configs[0], hosts }),
    hasSeveralHosts: configs.length > 1,
    close: async () => {},
  };
}
