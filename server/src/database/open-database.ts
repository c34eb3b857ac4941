import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { WaitEstimate } from '../base/wait-estimate.ts';
import { destroyConnection, withoutClient } from '../patches/pg-connection.ts';
import { receiveRowsAsBytes } from '../patches/pg-row-bytes.ts';
import { limitResponseTime } from './response-timeout.ts';
import { Announcer, sendNotifications } from './announcer.ts';
import { resultFormatOf } from './bytes-statement.ts';
import { type Database, DatabaseBusy, type PoolState, type Transaction } from './database.ts';
import { waitOrForce } from './close-client.ts';
import type { ConnectionConfig, Engine } from './engine.ts';
import {
  asError,
  isDiskFull,
  isLostConnection,
  isRetryable,
  toCallerError,
  toConnectionError,
} from './errors.ts';
import { type AnnouncementHandlers, PgTransaction } from './pg-transaction.ts';
import { PIPELINE_COUNT, Pipelines } from './pipeline.ts';
import { SharedReads } from './shared-reads.ts';
import { PrimaryClient } from './primary-client.ts';
import { hotRead, expectAtMostOneRow, Statement } from './statement.ts';

// Connections for transactions and slow reads. More than PostgreSQL has cores would only queue.
const POOL_CLIENTS_MAX = 8;
/** A request that waits longer than this for a pooled connection gets a 503. */
const CHECKOUT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 30_000;
/** Longer than every server-side timeout, so that only a stuck server's connection is cut. */
const RESPONSE_TIMEOUT_MS = 40_000;
// The maximum number of times a transaction runs. Deadlocks and stale reads are rare.
const TRANSACTION_RUNS_MAX = 5;

// `pg` returns `bigint` as a string. Positions and counts stay below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export const selectCitus = hotRead(
  'select_citus',
  `select from pg_extension where extname = 'citus'`,
);

export interface OpenDatabaseOptions {
  readonly onFault: (error: Error) => void;
  /** Called for each write refused because the disk is full. The caller gets the error too. */
  readonly onDiskFull?: (error: Error) => void;
  readonly poolClientsMax?: number;
  readonly checkoutTimeoutMs?: number;
}

export function openDatabase(engine: Engine, options: OpenDatabaseOptions): Database {
  return new PgDatabase(engine, options);
}

class PooledClient extends PrimaryClient {
  constructor(config?: ConnectionConfig) {
    super(config);
    receiveRowsAsBytes(this);
  }
}

class PgDatabase implements Database {
  readonly #pool: pg.Pool;
  readonly #checkoutWait: WaitEstimate;
  readonly #clients = new Set<pg.Client>();
  readonly #pipelines: Pipelines;
  readonly #sharedReads: SharedReads;
  readonly #onFault: (error: Error) => void;
  readonly #onDiskFull: (error: Error) => void;
  readonly #currentTransaction = new AsyncLocalStorage<PgTransaction | null>();
  readonly #announcementListeners: ((topic: string, payload: string) => void)[] = [];
  readonly #announcer: Announcer;
  readonly #announcementHandlers: AnnouncementHandlers = {
    onSent: (message) => this.#notifyListeners(message),
    onSoon: (message) => {
      // Add it first, so that the other nodes get it even if a listener throws.
      this.#announcer.add(message);
      this.#notifyListeners(message);
    },
  };
  #hasCitus: boolean | null = null;
  #isClosed = false;

  constructor(engine: Engine, options: OpenDatabaseOptions) {
    this.#onFault = options.onFault;
    this.#onDiskFull = options.onDiskFull ?? ((): void => undefined);
    const poolClientsMax = options.poolClientsMax ?? POOL_CLIENTS_MAX;
    const waitMsMax = options.checkoutTimeoutMs ?? CHECKOUT_TIMEOUT_MS;
    this.#pool = new pg.Pool({
      ...engine.clientConfig(),
      max: poolClientsMax,
      connectionTimeoutMillis: waitMsMax,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      Client: PooledClient,
      // This is safe, because no other work uses the connection of a transaction.
      pipeline: true,
    });
    this.#checkoutWait = new WaitEstimate({ concurrency: poolClientsMax, waitMsMax });
    this.#pool.on('release', () => this.#checkoutWait.recordEnd(this.#pool.waitingCount));
    this.#pool.on('error', (error) => {
      if (!this.#isClosed) this.#onFault(withoutClient(error));
    });
    this.#pool.on('connect', (client) => {
      if (!(client instanceof pg.Client)) return;
      limitResponseTime(client, RESPONSE_TIMEOUT_MS);
      this.#clients.add(client);
      client.once('end', () => this.#clients.delete(client));
    });
    this.#pipelines = new Pipelines(() => engine.clientConfig(), this.#onFault);
    this.#sharedReads = new SharedReads(
      async (statement, columns, connection) =>
        (this.#hasCitus ?? (await this.isDistributed()))
          ? await this.#sendEachKey(statement, columns, connection)
          : (await this.#pipelines.query(statement, columns.map(toArrayText), connection)).rows,
      PIPELINE_COUNT,
      toConnectionError,
    );
    const { name, text } = sendNotifications;
    this.#announcer = new Announcer({
      send: async (messages) => await this.#pool.query({ name, text, values: [messages] }),
      onFault: (error) => this.#onFault(asError(error)),
    });
  }

  async query<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await this.#run(statement, values)).rows;
  }

  one<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    return statement.mode === 'shared'
      ? this.#queryShared(statement, values)
      : this.#queryOne(statement, values);
  }

  async #queryOne<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    return expectAtMostOneRow(statement, await this.query(statement, values));
  }

  /** Not `async`, which would add one promise per request (decision 0122). */
  #queryShared<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    try {
      this.#refuseInsideTransaction();
      return this.#sharedReads.find(statement, values);
    } catch (error) {
      return Promise.reject(asError(error));
    }
  }

  async isDistributed(): Promise<boolean> {
    this.#hasCitus ??= (await this.#pipelines.query(selectCitus, [])).rows.length > 0;
    return this.#hasCitus;
  }

  // Sends one statement per key, all on one connection without waiting for earlier results.
  async #sendEachKey(
    { name, textOfOneKey }: Statement<object>,
    columns: readonly (readonly string[])[],
    connection: number,
  ): Promise<object[]> {
    const single = new Statement<object>(name, textOfOneKey ?? '', 'pipeline');
    const keys = (columns[0] ?? []).map((_, key) => columns.map((column) => column[key]));
    const results = await Promise.all(
      keys.map(async (key) => await this.#pipelines.query(single, key, connection)),
    );
    return results.flatMap(({ rows }, key) => rows.map((row) => ({ ...row, asked: key + 1 })));
  }

  async count(statement: Statement<object>, values: readonly unknown[] = []): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0;
  }

  async runScript(text: string): Promise<void> {
    this.#refuseInsideTransaction();
    try {
      await this.#pool.query(text);
    } catch (error) {
      throw toConnectionError(error);
    }
  }

  async #run<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    this.#refuseInsideTransaction();
    if (statement.mode === 'shared') {
      throw new Error(`use \`one\` for the shared read ${statement.name}`);
    }
    try {
      if (statement.mode === 'pipeline') return await this.#pipelines.query(statement, values);
      this.#shedWhenSaturated();
      return await this.#pool.query<Row>({
        name: statement.name,
        text: statement.text,
        values: [...values],
        ...resultFormatOf(statement),
      });
    } catch (error) {
      this.#reportDiskFull(error);
      throw toConnectionError(error);
    }
  }

  onAnnouncement(handler: (topic: string, payload: string) => void): void {
    this.#announcementListeners.push(handler);
  }

  poolState(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { clients: totalCount, idle: idleCount, waiting: waitingCount };
  }

  #notifyListeners(message: string): void {
    const colon = message.indexOf(':');
    for (const handler of this.#announcementListeners) {
      handler(message.slice(0, colon), message.slice(colon + 1));
    }
  }

  #refuseInsideTransaction(): void {
    const running = this.#currentTransaction.getStore();
    if (running && !running.isOver) {
      throw new Error(
        'a query inside a transaction must be sent to the transaction, not to the database',
      );
    }
  }

  #shedWhenSaturated(): void {
    if (this.#checkoutWait.wouldTimeOut(this.#pool.waitingCount)) {
      throw new DatabaseBusy('too many callers are waiting for a connection');
    }
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#refuseInsideTransaction();
    for (let run = 1; ; run++) {
      try {
        return await this.#runTransaction(work);
      } catch (error) {
        this.#reportDiskFull(error);
        if (run >= TRANSACTION_RUNS_MAX || !isRetryable(error)) throw toCallerError(error);
      }
    }
  }

  #reportDiskFull(error: unknown): void {
    if (isDiskFull(error)) this.#onDiskFull(asError(error));
  }

  async #runTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#checkOut();
    const ignoreError = (): void => {};
    client.on('error', ignoreError);
    const begun = runCommand(client, 'begin isolation level read committed');
    begun.catch(() => {
      // If `begin` fails, `await begun` below throws its error.
    });
    const isDistributed = async (): Promise<boolean> => await this.isDistributed();
    const tx = new PgTransaction(client, begun, this.#announcementHandlers, isDistributed);
    let isReusable = false;
    try {
      const outcome = await settle(() => this.#currentTransaction.run(tx, () => work(tx)));
      await tx.finish();
      // Report a failed `begin` first, because every later error follows from it.
      await begun;
      if (outcome.kind === 'value' || shouldCommit(tx, outcome.error)) {
        const last = settle(
          async () => await (outcome.kind === 'value' ? tx.sendWithCommit() : null),
        );
        const tag = await runCommand(client, 'commit');
        isReusable = true;
        const lastOutcome = await last;
        if (lastOutcome.kind === 'error') throw lastOutcome.error;
        if (tag !== 'COMMIT') throw toCommitError(outcome);
        this.#currentTransaction.run(null, () =>
          tx.runAfterCommit((error) => this.#onFault(asError(error))),
        );
      } else {
        isReusable = !tx.isLost && (await rollBack(client));
      }
      if (outcome.kind === 'error') throw outcome.error;
      return outcome.value;
    } finally {
      tx.isOver = true;
      client.off('error', ignoreError);
      client.release(!isReusable);
    }
  }

  async #checkOut(): Promise<pg.PoolClient> {
    this.#shedWhenSaturated();
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw new DatabaseBusy('no connection to the database', { cause: error });
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#announcer.close();
    await Promise.all([this.#pipelines.close(), this.#closePool()]);
  }

  async #closePool(): Promise<void> {
    const clients = [...this.#clients];
    const ends = clients.map(
      async (client) => await new Promise<void>((resolve) => client.once('end', resolve)),
    );
    // The pool's `end` waits only for clients in use; `ends` also waits for idle ones to close.
    await waitOrForce(Promise.all([this.#pool.end(), ...ends]), () => {
      for (const client of clients) destroyConnection(client);
    });
  }
}

type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'error'; readonly error: unknown };

async function settle<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: 'value', value: await work() };
  } catch (error) {
    return { kind: 'error', error };
  }
}

/** PostgreSQL answers a commit with ROLLBACK if a statement of the transaction has failed. */
function toCommitError(outcome: Outcome<unknown>): Error {
  return outcome.kind === 'error' ? asError(outcome.error) : new Error('the commit was refused');
}

// `commitOnRefusal` commits although the work threw, unless the transaction will be run again.
function shouldCommit(tx: PgTransaction, error: unknown): boolean {
  return tx.commitsOnRefusal && !tx.isLost && !isRetryable(error);
}

async function runCommand(client: pg.PoolClient, text: string): Promise<string> {
  try {
    return (await client.query(text)).command;
  } catch (error) {
    throw isLostConnection(error) ? toConnectionError(error) : error;
  }
}

// False if the rollback fails: the connection must not be reused.
async function rollBack(client: pg.PoolClient): Promise<boolean> {
  try {
    await client.query('rollback');
    return true;
  } catch {
    return false;
  }
}

// `pg` would search each key of an array twice, although none of our ids needs an escape. Other
// arrays are left to `pg`.
function toArrayText(keys: readonly string[]): string | readonly string[] {
  return keys.some((key) => /["\\]/.test(key)) ? keys : `{"${keys.join('","')}"}`;
}
