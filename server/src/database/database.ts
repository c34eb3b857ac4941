import type { Statement } from './statement.ts';

export interface Queryable {
  query<Row extends object>(statement: Statement<Row>, values?: readonly unknown[]): Promise<Row[]>;
  /** Returns the only row, if any. Throws if there are more, which is a bug in the statement. */
  one<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<Row | undefined>;
  count(statement: Statement<object>, values?: readonly unknown[]): Promise<number>;
  /**
   * True on a Citus cluster, where a statement over several shops must be sent once for each shop
   * (decision 0130). Cached.
   */
  isDistributed(): Promise<boolean>;
}

/** Isolation is READ COMMITTED: each statement sees what was committed before it began. */
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
   * Sends the transaction's last statement together with the commit, to save a round trip. It must
   * write or return `count` rows. If it fails, nothing is committed; if the count differs, the
   * transaction is committed and the caller gets an error.
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
   * Runs `work` in one transaction: commits when it returns, rolls back when it throws. A deadlock,
   * a serialization failure or a thrown `StaleRead` runs `work` again, at most 5 times in all.
   *
   * Inside `work`, a query of the database itself throws: it would not see the transaction's
   * writes, and would wait for a second connection while the transaction holds the first.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Calls `handler` for each announcement that a transaction of this process makes, before the
   * caller of `transaction` continues. The channel is slower: 5 % of its notifications arrived
   * after the caller's next request.
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
