import type pg from 'pg';
import type { Hosts } from './hosts.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /** Where the server may be. Without it the connection goes to `host`, and whether it takes writes is not asked. */
  readonly hosts?: Hosts;
}

/** A PostgreSQL server that holds the data: one of the operator's own, or the packaged one in `DATA_DIR`. */
export interface Engine {
  clientConfig(): ConnectionConfig;
  /** Ends the use of the server, after its clients are closed. */
  close(): Promise<void>;
}
