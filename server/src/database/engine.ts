import type pg from 'pg';
import type { Hosts } from './hosts.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /**
   * The hosts to search for the primary. Without it the client connects to `host`, without a check
   * for writes.
   */
  readonly hosts?: Hosts;
}

/**
 * A PostgreSQL server that holds the data: the operator's own, or the packaged one in `DATA_DIR`.
 */
export interface Engine {
  clientConfig(): ConnectionConfig;
  /** Ends the use of the server, after its clients are closed. */
  close(): Promise<void>;
}
