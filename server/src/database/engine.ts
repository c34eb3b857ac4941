import type pg from 'pg';
import type { EngineKind } from './database.ts';

/**
 * What holds the data. Both engines speak PostgreSQL's wire protocol to ordinary `pg` clients, so that one
 * implementation of `Database` serves both.
 */
export interface Engine {
  readonly kind: EngineKind;
  /** Settings for a new `pg` client or pool of this engine. */
  clientConfig(): pg.ClientConfig;
  /** Ends the engine itself (the embedded one's worker); clients are closed before. */
  close(): Promise<void>;
}
