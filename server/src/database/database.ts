import type { Statement } from './statement.ts';

export interface Queryable {
  query<Row extends object>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * Returns the only row, or undefined if there is none. Throws on two rows, because the statement
   * must have a bug.
   */
  one<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row | undefined>;
  count(statement: Statement<object>, values?: readonly unknown[]): Promise<number>;
  /**
   * Returns whether Citus distributes the tables over several nodes; the result is cached. If so, a
   * statement over several shops must be sent once for each shop (decision 0130).
   */
  isDistributed(): Promise<boolean>;
}

/**
 * A transaction with READ COMMITTED isolation: each statement sees what was committed before it
 * began.
 */
export interface Transaction extends Queryable {
  /**
   * Sends a select without waiting for the results of earlier statements. It runs after those
   * statements and sees their changes. Await all results together, because after a failed statement
   * the following statements fail too.
   */
  queryPipelined<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]>;
  /**
   * Sends `statement` together with the commit, as the last statement of the transaction. It must
   * write or return `count` rows. If the statement fails, nothing is committed. If the row count
   * differs, the transaction is committed, and the caller gets an error.
   */
  queryWithCommit(statement: Statement<object>, values: readonly unknown[], count: number): void;
  /** Runs `work` once, after the commit succeeded; never after a rollback. */
  afterCommit(work: () => void): void;
  /** Sends the message once after the commit. Modules call `announceSoon` of channel.ts instead. */
  announceSoon(message: string): void;
  /**
   * Makes the transaction commit even if its work throws `refusal`. A refusal that also revokes
   * tokens must be committed.
   */
  commitOnRefusal(): void;
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction: commits when it returns, rolls back when it throws. A deadlock,
   * a serialization failure or a thrown `StaleRead` runs `work` again, at most 5 times in all.
   *
   * Inside `work` only `tx` may be used. A query of the database itself throws, because it would
   * not see the transaction's writes, and would wait for a second connection while the transaction
   * holds the first.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Calls `handler` for each announcement of a transaction of this process, after the commit and
   * before the caller of `transaction` continues. In 5 % of tries the notification over the channel
   * arrived later than the caller's next request.
   */
  onAnnouncement(handler: (topic: string, payload: string) => void): void;
  poolState(): PoolState;
  runScript(text: string): Promise<void>;
  /**
   * Sends the waiting announcements, then ends the connections. Each of the two takes 2 s at most.
   */
  close(): Promise<void>;
}

/** The state of the connection pool. `waiting` is the number of callers that wait for a client. */
export interface PoolState {
  readonly clients: number;
  readonly idle: number;
  readonly waiting: number;
}

/**
 * Thrown inside a transaction when another transaction has changed data that was read before. The
 * transaction is then run again.
 */
export class StaleRead extends Error {
  override name = 'StaleRead';
}

/**
 * Thrown when no connection or lock was available within the time limit. The caller may try again
 * (503).
 */
export class DatabaseBusy extends Error {
  override name = 'DatabaseBusy';
}
