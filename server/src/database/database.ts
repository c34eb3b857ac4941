import type { Statement } from './statement.ts';

export interface Queryable {
  query<Row extends object>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the only row, or undefined when there is none. Throws on two rows: that is a bug. */
  one<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row | undefined>;
  count(statement: Statement<object>, values?: readonly unknown[]): Promise<number>;
  /**
   * Whether Citus distributes the tables over several nodes; asked once. A statement over several
   * shops is then sent once for each shop (decision 0130).
   */
  isDistributed(): Promise<boolean>;
}

/** READ COMMITTED: each statement sees what committed before it began. */
export interface Transaction extends Queryable {
  /**
   * A select sent without waiting for earlier results; it still runs after those statements and
   * sees their changes. Await all of them together: when one fails, those behind it fail too.
   */
  queryPipelined<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]>;
  /**
   * Sends `statement` with the commit, as the last one; it must write or return `count` rows. If it
   * fails, nothing commits; with another row count its changes commit, and the caller gets an
   * error.
   */
  queryWithCommit(statement: Statement<object>, values: readonly unknown[], count: number): void;
  /** Runs `work` once, after the commit succeeded; never after a rollback. */
  afterCommit(work: () => void): void;
  /** After the commit, once per message. Callers use `announceSoon` of the channel. */
  announceSoon(message: string): void;
  /** Commits even if the work throws `refusal` (a refusal that revokes something must persist). */
  commitOnRefusal(): void;
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction: commits when it returns, rolls back when it throws. A deadlock,
   * a serialization failure or a thrown `StaleRead` runs `work` again, at most 5 times in all.
   *
   * Inside `work` only `tx` may be used. A query of the database itself throws, because it would
   * not see the transaction's writes, and would wait for a second connection while holding the
   * first.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Calls `handler` with what a transaction of this process announced, after its commit and before
   * its caller continues. Its notification came later than the next request in 5 % of tries.
   */
  onAnnouncement(handler: (topic: string, payload: string) => void): void;
  poolState(): PoolState;
  runScript(text: string): Promise<void>;
  /** Sends the remaining announcements, then ends the connections; each step takes 2 s at most. */
  close(): Promise<void>;
}

/** `waiting`: callers that wait for a client. */
export interface PoolState {
  readonly clients: number;
  readonly idle: number;
  readonly waiting: number;
}

/** Thrown inside a transaction when what it read has changed: the transaction is run again. */
export class StaleRead extends Error {
  override name = 'StaleRead';
}

/** No connection or lock within the time limit: the caller may try again (503). */
export class DatabaseBusy extends Error {
  override name = 'DatabaseBusy';
}
