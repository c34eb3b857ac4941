import type pg from 'pg';
import { limitResponseTime } from './response-timeout.ts';
import { DatabaseBusy } from './database.ts';
import { closeClient } from './close-client.ts';
import type { ConnectionConfig } from './engine.ts';
import { PrimaryClient } from './primary-client.ts';
import type { Statement } from './statement.ts';

/** Two connections, so that one slow hot read does not block all other hot reads. */
export const PIPELINE_COUNT = 2;
// A hot read takes microseconds: after this time its backend is stuck, so the connection is cut.
const RESPONSE_TIMEOUT_MS = 10_000;
// Limits the reads on one connection, so that they do not collect behind a stuck backend.
const WAITING_MAX = 10_000;

// Forces index scans, because every hot read is a look-up by key. With statistics from an empty
// table, the planner would scan the complete table for each key until the next analyze.
const INDEX_LOOKUPS_ONLY = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** Sends hot reads without waiting for results. A lost connection is replaced at its next use. */
export class Pipelines {
  readonly #config: () => ConnectionConfig;
  readonly #onFault: (error: Error) => void;
  readonly #pipelines: Pipeline[];
  readonly #clients = new Set<pg.Client>();
  #nextIndex = 0;
  #isClosed = false;

  constructor(config: () => ConnectionConfig, onFault: (error: Error) => void) {
    this.#config = config;
    this.#onFault = onFault;
    this.#pipelines = Array.from({ length: PIPELINE_COUNT }, () => ({ client: null, waiting: 0 }));
  }

  async query<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
    connection?: number,
  ): Promise<pg.QueryResult<Row>> {
    if (this.#isClosed) throw new DatabaseBusy('the database is closed');
    const pipeline = this.#pipelines[(connection ?? this.#nextIndex++) % PIPELINE_COUNT];
    if (pipeline === undefined) throw new Error('no pipeline');
    if (pipeline.waiting >= WAITING_MAX) throw new DatabaseBusy('too many reads are waiting');
    pipeline.waiting += 1;
    try {
      const client = await (pipeline.client ??= this.#connect(pipeline));
      return await client.query<Row>({
        name: statement.name,
        text: statement.text,
        values: [...values],
      });
    } finally {
      pipeline.waiting -= 1;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#clients].map(closeClient));
  }

  #connect(pipeline: Pipeline): Promise<pg.Client> {
    const config = this.#config();
    const client = new PrimaryClient({
      ...config,
      options: `${config.options ?? ''} ${INDEX_LOOKUPS_ONLY}`,
      pipeline: true,
    });
    limitResponseTime(client, RESPONSE_TIMEOUT_MS);
    this.#clients.add(client);
    const connected = client.connect().then(() => client);
    const forget = (): void => {
      if (pipeline.client === connected) pipeline.client = null;
    };
    client.on('error', (error) => {
      forget();
      if (!this.#isClosed) this.#onFault(error);
    });
    client.on('end', () => {
      this.#clients.delete(client);
      forget();
    });
    connected.catch(forget);
    return connected;
  }
}

interface Pipeline {
  client: Promise<pg.Client> | null;
  waiting: number;
}
