import { DatabaseBusy } from './database.ts';
import { asError, isLostConnection } from './errors.ts';
import type { Statement } from './statement.ts';

// The maximum number of keys in one statement. With more, the results would block the event loop
// for longer than a millisecond; with fewer, a burst would take more statements.
const KEYS_MAX = 250;
/** The maximum number of waiting keys, so that requests do not collect behind a stuck backend. */
const WAITING_MAX = 20_000;

export type SendBatch = (
  statement: Statement<object>,
  columns: readonly (readonly string[])[],
  connection: number,
) => Promise<readonly object[]>;

interface PendingRead {
  readonly values: readonly string[];
  readonly deferred: PromiseWithResolvers<object | undefined>;
}

interface Batch {
  readonly statement: Statement<object>;
  // A new map for each statement. In a map that lasts, V8 links the tables that it outgrows, and
  // the garbage collector would take finished reads for live ones.
  reads: Map<string, PendingRead>;
  // Connections on which the statement is not running. Each connection runs it only once at a time:
  // under load the batches grow, and a stuck connection delays only its own batch.
  readonly free: number[];
  consecutiveLosses: number;
}

/**
 * Batches the keys of one tick of the event loop into one statement. The statement is sent right
 * after the tick's requests were read (`setImmediate`), so an idle process adds no delay. No caller
 * gets data from before its call, because the statement starts after all the calls.
 */
export class SharedReads {
  readonly #send: SendBatch;
  readonly #toCallerError: (error: unknown) => unknown;
  readonly #connections: number;
  readonly #batches = new Map<string, Batch>();
  #waiting = 0;
  #isFlushScheduled = false;

  constructor(
    send: SendBatch,
    connections: number,
    toCallerError: (error: unknown) => unknown = (error) => error,
  ) {
    this.#send = send;
    this.#toCallerError = toCallerError;
    this.#connections = connections;
  }

  /** Not `async`, which would add one promise per request. Rejects if too many keys wait. */
  find<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    try {
      const result = this.#enqueue(statement, values);
      if (!isResultOf(statement, result)) throw new Error(`${statement.name} has another row type`);
      return result;
    } catch (error) {
      return Promise.reject(asError(error));
    }
  }

  #enqueue(statement: Statement<object>, values: readonly unknown[]): Promise<object | undefined> {
    const texts = values.map(textOf);
    // PostgreSQL text cannot contain this character.
    const key = texts.join('\0');
    const batch = this.#batches.get(statement.name) ?? this.#addBatch(statement);
    const earlier = batch.reads.get(key);
    if (earlier !== undefined) return earlier.deferred.promise;
    if (this.#waiting >= WAITING_MAX) throw new DatabaseBusy('too many reads are waiting');
    const read: PendingRead = { values: texts, deferred: Promise.withResolvers() };
    batch.reads.set(key, read);
    this.#waiting += 1;
    this.#scheduleFlush();
    return read.deferred.promise;
  }

  #addBatch(statement: Statement<object>): Batch {
    const free = Array.from({ length: this.#connections }, (_, connection) => connection);
    const batch: Batch = { statement, reads: new Map(), free, consecutiveLosses: 0 };
    this.#batches.set(statement.name, batch);
    return batch;
  }

  #scheduleFlush(): void {
    if (this.#isFlushScheduled) return;
    this.#isFlushScheduled = true;
    setImmediate(() => {
      this.#isFlushScheduled = false;
      for (const batch of this.#batches.values()) this.#flush(batch);
    });
  }

  #flush(batch: Batch): void {
    while (batch.reads.size > 0) {
      const connection = batch.free.pop();
      if (connection === undefined) return;
      void this.#runBatch(batch, this.#take(batch, KEYS_MAX), connection);
    }
  }

  async #runBatch(batch: Batch, reads: readonly PendingRead[], connection: number): Promise<void> {
    const { statement } = batch;
    try {
      const rows = await this.#send(statement, columnsOf(reads), connection);
      batch.consecutiveLosses = 0;
      settle(statement, reads, rows);
    } catch (error) {
      const callerError = this.#toCallerError(error);
      for (const read of reads) read.deferred.reject(callerError);
      batch.consecutiveLosses = isLostConnection(error) ? batch.consecutiveLosses + 1 : 0;
      // If every connection has failed, fail the waiting keys now: each would only time out later.
      if (batch.consecutiveLosses >= this.#connections) {
        for (const read of this.#take(batch, batch.reads.size)) read.deferred.reject(callerError);
      }
    }
    batch.free.push(connection);
    if (batch.reads.size > 0) this.#scheduleFlush();
  }

  #take(batch: Batch, limit: number): readonly PendingRead[] {
    const reads = [...batch.reads];
    const taken = reads.slice(0, limit).map(([, read]) => read);
    batch.reads = new Map(reads.slice(limit));
    this.#waiting -= taken.length;
    return taken;
  }
}

function columnsOf(reads: readonly PendingRead[]): string[][] {
  const parts = reads[0]?.values ?? [];
  return parts.map((_, part) => reads.map(({ values }) => values[part] ?? ''));
}

function settle(
  statement: Statement<object>,
  reads: readonly PendingRead[],
  rows: readonly object[],
): void {
  const found = Array.from<object | undefined>({ length: reads.length });
  for (const row of rows) {
    const [number, own] = numberOf(row);
    const at = number - 1;
    if (reads[at] === undefined) {
      throw new Error(`${statement.name} returned a row for a key that was not requested`);
    }
    if (found[at] !== undefined) {
      throw new Error(`${statement.name} returned two rows for one key`);
    }
    found[at] = own;
  }
  reads.forEach((read, at) => read.deferred.resolve(found[at]));
}

function numberOf(row: { readonly asked?: unknown }): readonly [number: number, own: object] {
  const { asked, ...own } = row;
  return [typeof asked === 'number' ? asked : 0, own];
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('the key of a shared read must be text');
  return value;
}

function isResultOf<Row extends object>(
  _statement: Statement<Row>,
  _result: Promise<object | undefined>,
): _result is Promise<Row | undefined> {
  return true;
}
