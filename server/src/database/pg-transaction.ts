import type pg from 'pg';
import { sendNotification } from './channel.ts';
import { resultFormatOf } from './bytes-statement.ts';
import type { Transaction } from './database.ts';
import { isLostConnection, toConnectionError } from './errors.ts';
import { expectAtMostOneRow, type Statement } from './statement.ts';

export interface AnnouncementHandlers {
  readonly onSent: (message: string) => void;
  readonly onSoon: (message: string) => void;
}

export class PgTransaction implements Transaction {
  isOver = false;
  commitsOnRefusal = false;
  /** True when the server has rolled back the transaction, or will. */
  isLost = false;
  readonly isDistributed: () => Promise<boolean>;
  readonly #client: pg.PoolClient;
  readonly #begun: Promise<unknown>;
  #isFirst = true;
  /** Settles when the last delayed statement has been sent. Null if no statement was delayed. */
  #pendingSend: Promise<unknown> | null = null;
  #sendWithCommit: (() => Promise<void>) | null = null;
  readonly #afterCommit: (() => void)[] = [];
  // `finish` and later statements wait for the newest result, so that the caller gets the first
  // failure and no statement runs after the end.
  #lastResult: Promise<unknown>;

  readonly #handlers: AnnouncementHandlers;
  readonly #announcedSoon = new Set<string>();

  /** @param begun the result of `begin`, which was sent but may not have been answered yet */
  constructor(
    client: pg.PoolClient,
    begun: Promise<unknown>,
    announced: AnnouncementHandlers,
    isDistributed: () => Promise<boolean>,
  ) {
    this.isDistributed = isDistributed;
    this.#client = client;
    this.#begun = begun;
    this.#lastResult = begun;
    this.#handlers = announced;
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
    return expectAtMostOneRow(statement, await this.query(statement, values));
  }

  async count(statement: Statement<object>, values: readonly unknown[] = []): Promise<number> {
    return (await this.#run(statement, values)).rowCount ?? 0;
  }

  async queryPipelined<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return (await this.#run(statement, values, true)).rows;
  }

  queryWithCommit(statement: Statement<object>, values: readonly unknown[], count: number): void {
    if (this.#sendWithCommit !== null) {
      throw new Error('a transaction already has a statement to send with its commit');
    }
    this.#sendWithCommit = async () => {
      const { rowCount } = await this.#send(statement, values);
      if (rowCount !== count) throw new Error(`${statement.name} wrote ${rowCount} rows`);
    };
  }

  async sendWithCommit(): Promise<void> {
    await this.#sendWithCommit?.();
  }

  async #run<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
    canPipeline = false,
  ): Promise<pg.QueryResult<Row>> {
    const send = async (): Promise<pg.QueryResult<Row>> => {
      if (this.isOver) {
        throw new Error(`${statement.name} was sent after the end of its transaction`);
      }
      return await this.#send(statement, values);
    };
    // A read may be sent together with `begin`: if only `begin` fails, nothing has changed.
    const isPipelined = (canPipeline || this.#isFirst) && statement.text.startsWith('select');
    this.#isFirst = false;
    if (!isPipelined) {
      // The error of an earlier statement has gone to its own caller. An error of `begin` is thrown
      // here.
      const begun = (): Promise<unknown> => this.#begun;
      this.#pendingSend = this.#lastResult.then(begun, begun);
    }
    // If an earlier statement waits to be sent, send this one right after it.
    const sending = this.#pendingSend === null ? send() : this.#pendingSend.then(send);
    const completed = isPipelined
      ? Promise.all([this.#lastResult, sending]).then(([, result]) => result)
      : sending;
    this.#lastResult = completed;
    const result = await completed;
    if (statement.name === sendNotification.name) {
      this.afterCommit(() => this.#handlers.onSent(String(values[0])));
    }
    return result;
  }

  async #send<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    try {
      return await this.#client.query<Row>({
        name: statement.name,
        text: statement.textOfOneKey ?? statement.text,
        values: [...values],
        ...resultFormatOf(statement),
      });
    } catch (error) {
      this.isLost ||= isLostConnection(error);
      throw this.isLost ? toConnectionError(error) : error;
    }
  }

  afterCommit(work: () => void): void {
    this.#afterCommit.push(work);
  }

  announceSoon(message: string): void {
    if (this.#announcedSoon.has(message)) return;
    this.#announcedSoon.add(message);
    this.afterCommit(() => this.#handlers.onSoon(message));
  }

  commitOnRefusal(): void {
    this.commitsOnRefusal = true;
  }

  /** Waits for the running statement and refuses statements that are not sent yet. */
  async finish(): Promise<void> {
    this.isOver = true;
    await this.#lastResult.catch(() => {
      // The statement's caller got the error.
    });
  }

  runAfterCommit(onFault: (thrown: unknown) => void): void {
    for (const work of this.#afterCommit) {
      try {
        work();
      } catch (error) {
        onFault(error);
      }
    }
  }
}
