import type pg from 'pg';
import { sendNotification } from './channel.ts';
import { answerFormatOf } from './bytes-statement.ts';
import type { Transaction } from './database.ts';
import { isLostConnection, toConnectionError } from './fault.ts';
import { onlyRow, type Statement } from './statement.ts';

/** Who is told after the commit what a transaction announced. */
export interface AnnouncedHandlers {
  /** The message went out with the commit. */
  readonly onSent: (message: string) => void;
  /** The message is still to be sent to the other nodes. */
  readonly onSoon: (message: string) => void;
}

/** A transaction on one client of `pg`. */
export class PgTransaction implements Transaction {
  /** True once its end has begun: nothing more may run in it. */
  isOver = false;
  isKeptOnRefusal = false;
  /** True once the connection was lost: the server has rolled back, or will. */
  isLost = false;
  readonly #client: pg.PoolClient;
  readonly #afterCommit: (() => void)[] = [];
  /** One statement at a time: what fails first is what the caller sees, and none runs after the end. */
  #last: Promise<unknown> = Promise.resolve();

  readonly #announced: AnnouncedHandlers;
  readonly #soon = new Set<string>();

  constructor(client: pg.PoolClient, announced: AnnouncedHandlers) {
    this.#client = client;
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

  async #run<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<pg.QueryResult<Row>> {
    const ask = async (): Promise<pg.QueryResult<Row>> => {
      if (this.isOver) throw new Error(`${statement.name} after the end of its transaction`);
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
    };
    const answer = this.#last.then(ask, ask);
    this.#last = answer;
    const result = await answer;
    if (statement.name === sendNotification.name) {
      this.afterCommit(() => this.#announced.onSent(String(values[0])));
    }
    return result;
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
