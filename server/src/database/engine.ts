import type pg from 'pg';
import type { Hosts } from './hosts.ts';

export interface ConnectionConfig extends pg.ClientConfig {
  /** The hosts, one of which is the primary. If absent, `host` is used, even if read-only. */
  readonly hosts?: Hosts;
}

/** The operator's PostgreSQL server, or the packaged server in `DATA_DIR`. */
export interface Engine {
  clientConfig(): ConnectionConfig;
  /** Distinguishes the data folder of the packaged PostgreSQL from its copies. */
  readonly folderId?: string;
  readonly hasSeveralHosts?: boolean;
  /** Closes the engine. Callers close all its clients first. */
  close(): Promise<void>;
}
