import type pg from 'pg';
import { sendNotification } from './channel.ts';
import { answerFormatOf } from './bytes-statement.ts';
import type { Transaction } from './database.ts';
import { isLostConnection, toConnectionError } from './fault.ts';
import { onlyRow, type Statement } from './statement.ts';

export interface AnnouncedHandlers {
  readonly onSent: (message: string) => void;
  readonly onSoon: (message: string) => void;
}

export class PgTransaction implements Transaction {
  /** True once the end has begun: no further statement may run. */
  isOver = false;
  isKeptOnRefusal = false;
  /** True once the connection was lost: the server has rolled back, or will. */
  isLost = false;
  readonly #client: pg.PoolClient;
  readonly #begun: Promise<unknown>;
  #isFirst = true;
  /** Settles when the newest statement that had to wait has been sent; null when none had to. */
  #turn: Promise<unknown> | null = null;
  #queryLast: (() => Promise<void>) | null = null;
  readonly #afterCommit: (() => void)[] = [];
  /**
   * The newest answer. Statements run one at a time, so the caller sees the first failure and none
   * runs after the end.
   */
  #last: Promise<unknown>;

  readonly #announced: AnnouncedHandlers;
  readonly #soon = new Set<string>();

  /** @param begun the `begin` that was sent, possibly not answered yet */
  constructor(client: pg.PoolClient, begun: Promise<unknown>, announced: AnnouncedHandlers) {
    this.#client = client;
    this.#begun = begun;
    this.#last = begun;
    this.#announced = announced;
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

  async queryBehind<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]> {
    return (await this.#run(statement, values, true)).rows;
  }

  queryLast(statement: Statement<object>, values: readonly unknown[], count: number): void {
    if (this.#queryLast !== null) throw new Error('only one statement is the last');
    this.#queryLast = async () => {
      const { rowCount } = await this.#send(statement, values);
      if (rowCount !== count) throw new Error(`${statement.name} wrote ${rowCount} rows`);
    };
  }

  async sendLast(): Promise<void> {
    await this.#queryLast?.();
  }

  async #run<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
    isBehind = false,
  ): Promise<pg.QueryResult<Row>> {
    const ask = async (): Promise<pg.QueryResult<Row>> => {
      if (this.isOver) throw new Error(`${statement.name} after the end of its transaction`);
      return await this.#send(statement, values);
    };
    // A read may be sent together with `begin`: if only `begin` fails, the read has changed
    // nothing.
    const isAlong = (isBehind || this.#isFirst) && statement.text.startsWith('select');
    this.#isFirst = false;
    if (!isAlong) {
      // An earlier error went to its own caller; but nothing may run outside the transaction.
      const begun = (): Promise<unknown> => this.#begun;
      this.#turn = this.#last.then(begun, begun);
    }
    // A statement behind one that waits is sent right after it.
    const asked = this.#turn === null ? ask() : this.#turn.then(ask);
    const answer = isAlong ? Promise.all([this.#last, asked]).then(([, result]) => result) : asked;
    this.#last = answer;
    const result = await answer;
    if (statement.name === sendNotification.name) {
      this.afterCommit(() => this.#announced.onSent(String(values[0])));
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
        text: statement.text,
        // Asked without a batch: each part of the key becomes an array of one.
        values: statement.lane === 'shared' ? values.map((value) => [value]) : [...values],
        ...answerFormatOf(statement),
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
    if (this.#soon.has(message)) return;
    this.#soon.add(message);
    this.afterCommit(() => this.#announced.onSoon(message));
  }

  keepOnRefusal(): void {
    this.isKeptOnRefusal = true;
  }

  /** Starts the end: waits for the running statement and refuses those that still wait. */
  async finish(): Promise<void> {
    this.isOver = true;
    await this.#last.catch(() => {
      // Its caller got the error; only the end matters here.
    });
  }

  /** Runs what `afterCommit` registered; a callback that throws does not stop the others. */
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
