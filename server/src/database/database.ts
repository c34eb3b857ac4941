import type { Statement } from './statement.ts';

export interface Queryable {
  query<Row extends object>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a statement and returns its only row, or undefined when there is none. Two rows are a bug and throw. */
  one<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row | undefined>;
  count(statement: Statement<object>, values?: readonly unknown[]): Promise<number>;
}

/** An open transaction (READ COMMITTED: each statement sees what committed before it began). */
export interface Transaction extends Queryable {
  /**
   * Like `query` of a select, but sent without waiting for the answers of the statements before it; it still runs after
   * them and sees what they did. Wait for all of them together: when one fails, so do those behind it.
   */
  queryBehind<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]>;
  /**
   * Sends `statement` together with the commit, as the last one; it must write or return `count` rows. When it
   * fails, nothing commits; with another number of rows it has written what it has, and the caller is told of a fault.
   */
  queryLast(statement: Statement<object>, values: readonly unknown[], count: number): void;
  /** Runs `work` once, after the commit succeeded; never after a rollback. */
  afterCommit(work: () => void): void;
  /** Announces `message` after the commit, each message once (use `announceSoon` of the channel). */
  announceSoon(message: string): void;
  /**
   * Makes the transaction commit although its work throws `refusal` (a refusal that revokes something must stand).
   * Without it a throw rolls back.
   */
  keepOnRefusal(): void;
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction: commits when it returns, rolls back when it throws. A deadlock, a serialization
   * failure or a thrown `StaleRead` runs `work` again, at most 5 times in all.
   *
   * Inside `work` only `tx` may be used: a query of the database itself throws, because it would not see what the
   * transaction has written, and would wait for a second connection while it holds the first.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Calls `handler` with what a transaction of this process has announced, after its commit and before its caller goes
   * on: a node needs no notification of its own deeds (the way round took longer than the next request in 5 % of tries).
   */
  onAnnounced(handler: (topic: string, payload: string) => void): void;
  poolState(): PoolState;
  script(text: string): Promise<void>;
  /** Sends what was announced and is still to be sent, then ends the connections; each within 2 s. */
  close(): Promise<void>;
}

/** How many clients of the pool there are, how many of them idle, and how many callers wait for one. */
export interface PoolState {
  readonly clients: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Thrown inside a transaction when what it read has changed under it: the transaction is run again. */
export class StaleRead extends Error {
  override name = 'StaleRead';
}

/** No connection or no lock came within its limit: the caller may try again (503 on the wire). */
export class DatabaseBusy extends Error {
  override name = 'DatabaseBusy';
}
