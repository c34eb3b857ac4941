import type { Span, Tracing } from '../base/tracing.ts';
import type { Database, PoolState, Queryable, Transaction } from './database.ts';
import type { Statement } from './statement.ts';

/** Adds a span to each statement of a request (not of a job), with its name and never a value. */
export function traceDatabase(db: Database, tracing: Tracing): Database {
  return new TracedDatabase(db, tracing);
}

const SYSTEM = { 'db.system.name': 'postgresql' };

class TracedQueryable implements Queryable {
  readonly #inner: Queryable;
  readonly #tracing: Tracing;

  constructor(inner: Queryable, tracing: Tracing) {
    this.#inner = inner;
    this.#tracing = tracing;
  }

  async query<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    return await this.trace(statement, async () => await this.#inner.query(statement, values));
  }

  async one<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row | undefined> {
    return await this.trace(statement, async () => await this.#inner.one(statement, values));
  }

  async count(statement: Statement<object>, values?: readonly unknown[]): Promise<number> {
    return await this.trace(statement, async () => await this.#inner.count(statement, values));
  }

  async isDistributed(): Promise<boolean> {
    return await this.#inner.isDistributed();
  }

  protected async trace<T>({ name }: Statement<object>, work: () => Promise<T>): Promise<T> {
    const span = startStatement(this.#tracing, name);
    return span === null ? await work() : await endWith(span, work());
  }
}

class TracedTransaction extends TracedQueryable implements Transaction {
  readonly #tx: Transaction;
  readonly #tracing: Tracing;
  #last: Span | null = null;

  constructor(tx: Transaction, tracing: Tracing) {
    super(tx, tracing);
    this.#tx = tx;
    this.#tracing = tracing;
  }

  async queryPipelined<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return await this.trace(
      statement,
      async () => await this.#tx.queryPipelined(statement, values),
    );
  }

  queryWithCommit(statement: Statement<object>, values: readonly unknown[], count: number): void {
    this.#tx.queryWithCommit(statement, values, count);
    this.#last = startStatement(this.#tracing, statement.name);
  }

  afterCommit(work: () => void): void {
    this.#tx.afterCommit(work);
  }

  announceSoon(message: string): void {
    this.#tx.announceSoon(message);
  }

  commitOnRefusal(): void {
    this.#tx.commitOnRefusal();
  }

  endLast(error: string | null): void {
    this.#last?.end(error);
  }
}

class TracedDatabase extends TracedQueryable implements Database {
  readonly #db: Database;
  readonly #tracing: Tracing;

  constructor(db: Database, tracing: Tracing) {
    super(db, tracing);
    this.#db = db;
    this.#tracing = tracing;
  }

  /** The span covers the wait for a connection, the statements (with their spans), and the commit. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tracing = this.#tracing;
    if (!isRecorded(tracing)) return await this.#db.transaction(work);
    const name = 'transaction';
    const span = tracing.startSpan({ kind: 'internal', name, attributes: SYSTEM });
    // There are several entries if the database runs the transaction again.
    const runs: TracedTransaction[] = [];
    const run = async (tx: Transaction): Promise<T> => {
      const traced = new TracedTransaction(tx, tracing);
      runs.push(traced);
      return await work(traced);
    };
    let error: string | null = null;
    try {
      return await tracing.run(span, async () => await this.#db.transaction(run));
    } catch (thrown) {
      error = errorTypeOf(thrown);
      throw thrown;
    } finally {
      for (const traced of runs) traced.endLast(error);
      span.end(error);
    }
  }

  onAnnouncement(handler: (topic: string, payload: string) => void): void {
    this.#db.onAnnouncement(handler);
  }

  poolState(): PoolState {
    return this.#db.poolState();
  }

  async runScript(text: string): Promise<void> {
    await this.#db.runScript(text);
  }

  async close(): Promise<void> {
    await this.#db.close();
  }
}

function isRecorded({ current }: Tracing): boolean {
  return current?.isRecording === true;
}

function startStatement(tracing: Tracing, name: string): Span | null {
  if (!isRecorded(tracing)) return null;
  const attributes = { ...SYSTEM, 'db.query.summary': name };
  return tracing.startSpan({ kind: 'client', name, attributes });
}

async function endWith<T>(span: Span, result: Promise<T>): Promise<T> {
  try {
    const value = await result;
    span.end(null);
    return value;
  } catch (error) {
    const code = sqlStateOf(error);
    span.end(errorTypeOf(error), code === null ? {} : { 'db.response.status_code': code });
    throw error;
  }
}

function errorTypeOf(error: unknown): string {
  return sqlStateOf(error) ?? (error instanceof Error ? error.name : 'unknown');
}

function sqlStateOf(error: unknown): string | null {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : null;
}
