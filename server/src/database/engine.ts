import type pg from 'pg';

/** A PostgreSQL server that holds the data: one of the operator's own, or the packaged one in `DATA_DIR`. */
export interface Engine {
  /** Settings for a new `pg` client or pool. */
  clientConfig(): pg.ClientConfig;
  /** Ends the use of the server, after its clients are closed. */
  close(): Promise<void>;
}
