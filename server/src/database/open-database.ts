import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import {
  type Database,
  DatabaseBusy,
  type EngineKind,
  StaleRead,
  type Transaction,
} from './database.ts';
import type { Engine } from './engine.ts';
import type { Statement } from './statement.ts';

/** Pooled connections of one process: transactions and slow reads. More than PostgreSQL has cores only queue there. */
const POOL_CLIENTS_MAX = 8;
/** The embedded engine has one session: more clients would only wait on each other. */
const EMBEDDED_POOL_CLIENTS_MAX = 4;
/** Pipelined connections for hot reads: two, so that one slow answer does not hold up everything. */
const PIPELINE_CLIENTS = 2;
/** Longest wait for a pooled connection; beyond it the request is answered 503. */
const CHECKOUT_TIMEOUT_MS = 5_000;
/** A transaction is run at most this often: deadlocks and stale reads are rare, and a limit stands on every loop. */
const TRANSACTION_RUNS_MAX = 5;

const DEADLOCK = '40P01';
const SERIALIZATION_FAILURE = '40001';
const LOCK_NOT_AVAILABLE = '55P03';

// `bigint` is a string in `pg` otherwise; positions and counts stay below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface OpenDatabaseOptions {
  /** Told of faults that no caller sees: an idle connection that broke. */
  readonly onFault: (error: Error) => void;
  readonly poolClientsMax?: number;
}

/** Opens the database on an engine. No connection is made before the first statement. */
export function openDatabase(engine: Engine, options: OpenDatabaseOptions): Database {
  return new PgDatabase(engine, options);
}

class PgDatabase implements Database {
  readonly engine: EngineKind;
  readonly #engine: Engine;
  readonly #pool: pg.Pool;
  readonly #pipelines: (Promise<pg.Client> | undefined)[];
  readonly #onFault: (error: Error) => void;
  readonly #inside = new AsyncLocalStorage<PgTransaction | null>();
  #turn = 0;
  #closed = false;

  constructor(engine: Engine, options: OpenDatabaseOptions) {
    this.engine = engine.kind;
    this.#engine = engine;
    this.#onFault = options.onFault;
    const clientsMax =
      options.poolClientsMax ??
      (engine.kind === 'pglite' ? EMBEDDED_POOL_CLIENTS_MAX : POOL_CLIENTS_MAX);
    this.#pool = new pg.Pool({
      ...engine.clientConfig(),
      max: clientsMax,
      connectionTimeoutMillis: CHECKOUT_TIMEOUT_MS,
      idleTimeoutMillis: 30_000,
    });
    this.#pool.on('error', (error) => {
      // A connection that breaks while it is being closed has done its work.
      if (!this.#closed) this.#onFault(error);
    });
    this.#pipelines = Array.from({ length: PIPELINE_CLIENTS });
  }

  async query<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await this.#run(statement, values)).rows;
  }

  async one<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    return onlyRow(statement, await this.query(statement, values));
  }

  async count(statement: Statement<object>, values: readonly unknown[] = []): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0;
  }

  async script(text: string): Promise<void> {
    this.#refuseInside();
    await this.#pool.query(text);
  }

  async #run<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    this.#refuseInside();
    const config = { name: statement.name, text: statement.text, values: [...values] };
    try {
      if (statement.lane === 'pipeline') return await (await this.#pipeline()).query<Row>(config);
      return await this.#pool.query<Row>(config);
    } catch (error) {
      throw busyOr(error);
    }
  }

  #refuseInside(): void {
    const running = this.#inside.getStore();
    if (running && !running.isOver) {
      throw new Error('a query of the database inside a transaction: use the transaction');
    }
  }

  /** Two connections are used in turn; one that broke is replaced at its next use. */
  async #pipeline(): Promise<pg.Client> {
    if (this.#closed) throw new DatabaseBusy('the database is closed');
    const index = this.#turn++ % PIPELINE_CLIENTS;
    return await (this.#pipelines[index] ??= this.#connectPipeline(index));
  }

  async #connectPipeline(index: number): Promise<pg.Client> {
    const client = new pg.Client({ ...this.#engine.clientConfig(), pipeline: true });
    const forget = (error?: Error): void => {
      this.#pipelines[index] = undefined;
      if (error !== undefined && !this.#closed) this.#onFault(error);
    };
    client.on('error', forget);
    client.on('end', () => forget());
    try {
      await client.connect();
    } catch (error) {
      forget();
      throw error;
    }
    return client;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let run = 1; ; run++) {
      try {
        return await this.#runTransaction(work);
      } catch (error) {
        if (run >= TRANSACTION_RUNS_MAX || !isWorthAnotherRun(error)) throw busyOr(error);
      }
    }
  }

  async #runTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    this.#refuseInside();
    let client: pg.PoolClient;
    try {
      client = await this.#pool.connect();
    } catch (error) {
      throw new DatabaseBusy('no connection to the database', { cause: error });
    }
    const lost = (): void => {
      // The statement under way rejects; without a listener a broken connection would end the process.
    };
    client.on('error', lost);
    const tx = new PgTransaction(client);
    let isBroken = true;
    try {
      await client.query('begin');
      const outcome = await settle(() => this.#inside.run(tx, () => work(tx)));
      await tx.finish();
      const isCommit = outcome.kind === 'value' || tx.isKeptOnRefusal;
      const { command } = await client.query(isCommit ? 'commit' : 'rollback');
      isBroken = false;
      if (isCommit && command !== 'COMMIT') {
        throw outcome.kind === 'error' ? outcome.error : new Error('the commit was refused');
      }
      if (isCommit) this.#inside.run(null, () => tx.runAfterCommit());
      if (outcome.kind === 'error') throw outcome.error;
      return outcome.value;
    } finally {
      tx.isOver = true;
      client.off('error', lost);
      client.release(isBroken);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const pipelines = this.#pipelines.filter((client) => client !== undefined);
    await Promise.allSettled(pipelines.map(async (client) => await (await client).end()));
    await this.#pool.end();
  }
}

class PgTransaction implements Transaction {
  isOver = false;
  isKeptOnRefusal = false;
  readonly #client: pg.PoolClient;
  readonly #afterCommit: (() => void)[] = [];
  /** One statement at a time: what fails first is what the caller sees, and none runs after the end. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  async query<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await this.#run(statement, values)).rows;
  }

  async one<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    return onlyRow(statement, await this.query(statement, values));
  }

  async count(statement: Statement<object>, values: readonly unknown[] = []): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0;
  }

  async #run<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const ask = async (): Promise<pg.QueryResult<Row>> => {
      if (this.isOver) throw new Error(`${statement.name} after the end of its transaction`);
      return await this.#client.query<Row>({
        name: statement.name,
        text: statement.text,
        values: [...values],
      });
    };
    const answer = this.#last.then(ask, ask);
    this.#last = answer;
    return await answer;
  }

  afterCommit(work: () => void): void {
    this.#afterCommit.push(work);
  }

  keepOnRefusal(): void {
    this.isKeptOnRefusal = true;
  }

  /** Waits for statements that the work left running. */
  async finish(): Promise<void> {
    this.isOver = true;
    await this.#last.catch(() => {
      // Its caller was told; here only its end matters.
    });
  }

  runAfterCommit(): void {
    for (const work of this.#afterCommit) work();
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

function onlyRow<Row extends object>(
  statement: Statement<Row>,
  rows: readonly Row[],
): Row | undefined {
  if (rows.length > 1) throw new Error(`${statement.name} returned ${rows.length} rows, not one`);
  return rows[0];
}

function isWorthAnotherRun(error: unknown): boolean {
  if (error instanceof StaleRead) return true;
  const code = codeOf(error);
  return code === DEADLOCK || code === SERIALIZATION_FAILURE;
}

function busyOr(error: unknown): unknown {
  if (error instanceof StaleRead || codeOf(error) === LOCK_NOT_AVAILABLE) {
    return new DatabaseBusy('the row is held by another transaction', { cause: error });
  }
  // `pg-pool` gives its checkout timeout no code.
  if (error instanceof Error && error.message.startsWith('timeout exceeded when trying to connect')) {
    return new DatabaseBusy('no free connection', { cause: error });
  }
  return error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}

/** True for a unique violation of the named constraint. Aborts the transaction it happened in. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === constraint
  );
}

