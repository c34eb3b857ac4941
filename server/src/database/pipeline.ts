import type pg from 'pg';
import { limitAnswerTime } from './answer-time.ts';
import { DatabaseBusy } from './database.ts';
import { endClient } from './end-client.ts';
import type { ConnectionConfig } from './engine.ts';
import { PrimaryClient } from './primary-client.ts';
import type { Statement } from './statement.ts';

/** Pipelined connections for hot reads: two, so that one slow answer does not block all of them. */
export const PIPELINES = 2;
/**
 * Longest wait for an answer. A hot read takes microseconds; a longer wait means a frozen backend,
 * and its connection is replaced.
 */
const ANSWER_TIMEOUT_MS = 10_000;
/**
 * Reads that may wait on one connection, so that a frozen backend does not collect every request.
 */
const WAITING_MAX = 10_000;

/**
 * Every hot read is a look-up by key. With statistics from an empty table, the planner would scan
 * the whole table for each key until the next analyze.
 */
const LOOK_UPS_ONLY = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/**
 * Connections that each run many hot reads at once. A broken one is replaced when it is next used.
 */
export class Pipelines {
  readonly #config: () => ConnectionConfig;
  readonly #onFault: (error: Error) => void;
  readonly #lines: Line[];
  readonly #clients = new Set<pg.Client>();
  #turn = 0;
  #isClosed = false;

  constructor(config: () => ConnectionConfig, onFault: (error: Error) => void) {
    this.#config = config;
    this.#onFault = onFault;
    this.#lines = Array.from({ length: PIPELINES }, () => ({ client: null, waiting: 0 }));
  }

  /** Runs a statement on a connection: round robin, or the one with the given index (from 0). */
  async query<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
    connection?: number,
  ): Promise<pg.QueryResult<Row>> {
    if (this.#isClosed) throw new DatabaseBusy('the database is closed');
    const line = this.#lines[(connection ?? this.#turn++) % PIPELINES];
    if (line === undefined) throw new Error('no pipeline');
    if (line.waiting >= WAITING_MAX) throw new DatabaseBusy('too many reads are waiting');
    line.waiting += 1;
    try {
      const client = await (line.client ??= this.#connect(line));
      return await client.query<Row>({
        name: statement.name,
        text: statement.text,
        values: [...values],
      });
    } finally {
      line.waiting -= 1;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#clients].map(endClient));
  }

  #connect(line: Line): Promise<pg.Client> {
    const config = this.#config();
    const client = new PrimaryClient({
      ...config,
      options: `${config.options ?? ''} ${LOOK_UPS_ONLY}`,
      pipeline: true,
    });
    limitAnswerTime(client, ANSWER_TIMEOUT_MS);
    this.#clients.add(client);
    const connected = client.connect().then(() => client);
    const forget = (): void => {
      if (line.client === connected) line.client = null;
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

interface Line {
  client: Promise<pg.Client> | null;
  waiting: number;
}
