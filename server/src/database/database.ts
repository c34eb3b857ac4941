import type { Statement } from './statement.ts';

export interface Queryable {
  query<Row extends object>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the only row, if any. Throws if there are more, which is a bug in the statement. */
  one<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row | undefined>;
  count(statement: Statement<object>, values?: readonly unknown[]): Promise<number>;
  /** True on Citus, where a statement over several shops is sent once per shop (decision 0130). */
  isDistributed(): Promise<boolean>;
}

/** Isolation is READ COMMITTED: each statement sees what was committed before it began. */
export interface Transaction extends Queryable {
  /**
   * Sends a select before the results of earlier statements arrive; it still sees their changes.
   * Await all results together, because after a failed statement the following ones fail too.
   */
  queryPipelined<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row[]>;
  /**
   * Sends the last statement with the commit, to save a round trip. If it fails, nothing is
   * committed. If it does not write `count` rows, the caller gets an error after the commit.
   */
  queryWithCommit(statement: Statement<object>, values: readonly unknown[], count: number): void;
  /** Runs `work` once, after the commit succeeded; never after a rollback. */
  afterCommit(work: () => void): void;
  /** Sends the message once after the commit. Modules call `announceSoon` of channel.ts instead. */
  announceSoon(message: string): void;
  /** Commits even if the work throws, for a refusal that also revokes tokens. */
  commitOnRefusal(): void;
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction. A deadlock, a serialization failure or a thrown `StaleRead`
   * runs it again, at most 5 times in all. Inside `work`, a query of the database itself throws: it
   * would not see the transaction's writes, and would wait for a second connection while the
   * transaction holds the first.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Calls `handler` for each announcement of this process before the caller of `transaction`
   * continues. The channel would be too late: 5 % of its notifications arrived after the caller's
   * next request.
   */
  onAnnouncement(handler: (topic: string, payload: string) => void): void;
  poolState(): PoolState;
  runScript(text: string): Promise<void>;
  /** Sends the waiting announcements, then ends the connections. Each step takes at most 2 s. */
  close(): Promise<void>;
}

/** `waiting` counts the callers that wait for a connection. */
export interface PoolState {
  readonly clients: number;
  readonly idle: number;
  readonly waiting: number;
}

/** A concurrent transaction has changed data that this transaction read, so `work` runs again. */
export class StaleRead extends Error {
  override name = 'StaleRead';
}

/** No connection or lock was available in time. The caller may try again (503). */
export class DatabaseBusy extends Error {
  override name = 'DatabaseBusy';
}
