import type pg from 'pg';
import type { Hosts } from './hosts.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /**
   * Searched for the primary; without it the client uses `host`, whether it takes writes or not.
   */
  readonly hosts?: Hosts;
}

/** The operator's PostgreSQL server, or the packaged one in `DATA_DIR`. */
export interface Engine {
  clientConfig(): ConnectionConfig;
  /** Call it after its clients are closed. */
  close(): Promise<void>;
}
