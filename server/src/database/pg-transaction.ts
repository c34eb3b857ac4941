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
  /** True once its end has begun: nothing more may run in it. */
  isOver = false;
  isKeptOnRefusal = false;
  /** True once the connection was lost: the server has rolled back, or will. */
  isLost = false;
  readonly #client: pg.PoolClient;
  readonly #begun: Promise<unknown>;
  #isFirst = true;
  /** Settles when the newest statement that has to wait is sent; null while none had to. */
  #turn: Promise<unknown> | null = null;
  #queryLast: (() => Promise<void>) | null = null;
  readonly #afterCommit: (() => void)[] = [];
  /** One statement at a time: what fails first is what the caller sees, and none runs after the end. */
  #last: Promise<unknown>;

  readonly #announced: AnnouncedHandlers;
  readonly #soon = new Set<string>();

  /** @param begun the begin, which was sent but maybe not answered */
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
    // A read may go along with the begin: should that fail alone, the read has changed nothing.
    const isAlong = (isBehind || this.#isFirst) && statement.text.startsWith('select');
    this.#isFirst = false;
    if (!isAlong) {
      // What failed before is its caller's; but nothing may run outside of the transaction.
      const begun = (): Promise<unknown> => this.#begun;
      this.#turn = this.#last.then(begun, begun);
    }
    // What stands behind a statement that waits is sent right after it, not before.
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
        // Alone here: the key's parts are columns of one.
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

  /** Begins the end: waits for the statement that runs, and refuses those that the work left waiting. */
  async finish(): Promise<void> {
    this.isOver = true;
    await this.#last.catch(() => {
      // Its caller was told; here only its end matters.
    });
  }

  /** Runs what was to follow the commit, each piece whatever becomes of the others. */
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
