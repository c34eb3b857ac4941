import type pg from 'pg';
import type { Hosts } from './hosts.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /**
   * The hosts to search for the server that accepts writes. If absent, the client connects to
   * `host`, even if that server is read-only.
   */
  readonly hosts?: Hosts;
}

/**
 * Tells clients how to connect to the operator's PostgreSQL server or to the packaged server in
 * `DATA_DIR`.
 */
export interface Engine {
  clientConfig(): ConnectionConfig;
  /** Closes the engine. Callers close all its clients first. */
  close(): Promise<void>;
}
