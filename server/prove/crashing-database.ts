import type { Database, Queryable, Transaction } from '../src/database/database.ts';
import type { Statement } from '../src/database/statement.ts';

/**
 * Decides at each step whether to end the process. Steps are `before NAME` and `after NAME`, where
 * NAME is a statement, and `before commit of NAME` and `after commit of NAME`, where NAME is the
 * first statement of the transaction.
 */
export interface Crasher {
  step(where: string): Promise<void>;
}

class CrashingQueryable implements Queryable {
  /** The name of the first statement of the transaction. */
  firstName = 'nothing';
  readonly #inner: Queryable;
  readonly #crasher: Crasher;
  #last: Promise<unknown> = Promise.resolve();

  constructor(inner: Queryable, crasher: Crasher) {
    this.#inner = inner;
    this.#crasher = crasher;
  }

  async query<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row[]> {
    return await this.#around(
      statement.name,
      async () => await this.#inner.query(statement, values),
    );
  }

  async one<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row | undefined> {
    return await this.#around(statement.name, async () => await this.#inner.one(statement, values));
  }

  async count(statement: Statement<object>, values?: readonly unknown[]): Promise<number> {
    return await this.#around(
      statement.name,
      async () => await this.#inner.count(statement, values),
    );
  }

  /** Waits until all statements that were sent before have completed. */
  protected async settle(): Promise<void> {
    await this.#last.catch(() => {
      // The error is reported to the caller of the statement.
    });
  }

  async #around<T>(name: string, ask: () => Promise<T>): Promise<T> {
    const answer = this.#ask(name, ask);
    this.#last = answer;
    return await answer;
  }

  async #ask<T>(name: string, ask: () => Promise<T>): Promise<T> {
    if (this.firstName === 'nothing') this.firstName = name;
    await this.#crasher.step(`before ${name}`);
    const answer = await ask();
    await this.#crasher.step(`after ${name}`);
    return answer;
  }

  async isDistributed(): Promise<boolean> {
    return await this.#inner.isDistributed();
  }
}

class CrashingTransaction extends CrashingQueryable implements Transaction {
  readonly #inner: Transaction;
  #queryLast: (() => Promise<void>) | null = null;

  constructor(inner: Transaction, crasher: Crasher) {
    super(inner, crasher);
    this.#inner = inner;
  }

  /** Runs the statements sequentially, so that the process can end between them. */
  async queryPipelined<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    await this.settle();
    return await this.query(statement, values);
  }

  queryWithCommit(statement: Statement<object>, values: readonly unknown[], count: number): void {
    this.#queryLast = async () => {
      const written = await this.count(statement, values);
      if (written !== count) throw new Error(`${statement.name} wrote ${written} rows`);
    };
  }

  /** Runs the statement that a real transaction sends together with the commit. */
  async runLast(): Promise<void> {
    await this.#queryLast?.();
  }

  afterCommit(work: () => void): void {
    this.#inner.afterCommit(work);
  }

  announceSoon(message: string): void {
    this.#inner.announceSoon(message);
  }

  commitOnRefusal(): void {
    this.#inner.commitOnRefusal();
  }
}

/** A database that can end the process before and after every statement and every commit. */
export class CrashingDatabase extends CrashingQueryable implements Database {
  readonly #inner: Database;
  readonly #crasher: Crasher;

  constructor(inner: Database, crasher: Crasher) {
    super(inner, crasher);
    this.#inner = inner;
    this.#crasher = crasher;
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let name = 'nothing';
    const answer = await this.#inner.transaction(async (tx) => {
      const crashing = new CrashingTransaction(tx, this.#crasher);
      const result = await work(crashing);
      await crashing.runLast();
      name = crashing.firstName;
      await this.#crasher.step(`before commit of ${name}`);
      return result;
    });
    await this.#crasher.step(`after commit of ${name}`);
    return answer;
  }

  onAnnouncement(handler: (topic: string, payload: string) => void): void {
    this.#inner.onAnnouncement(handler);
  }

  poolState(): ReturnType<Database['poolState']> {
    return this.#inner.poolState();
  }

  async runScript(text: string): Promise<void> {
    await this.#inner.runScript(text);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}
