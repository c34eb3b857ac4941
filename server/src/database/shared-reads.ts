import { DatabaseBusy } from './database.ts';
import { asError, isLostConnection } from './fault.ts';
import type { Statement } from './statement.ts';

/**
 * Keys of one statement at most. More answers would hold the event loop up at once for longer than a millisecond; fewer
 * would only make more statements of a burst.
 */
const KEYS_MAX = 250;
/** Keys that may wait for their turn. A backend that answers nothing must not gather all requests. */
const WAITING_MAX = 20_000;

/** Sends a statement whose parameters are the columns of its keys, on one of the connections. */
export type SendShared = (
  statement: Statement<object>,
  columns: readonly (readonly string[])[],
  connection: number,
) => Promise<readonly object[]>;

interface Ask {
  readonly values: readonly string[];
  readonly answer: PromiseWithResolvers<object | undefined>;
}

/** What waits for a statement, each key once. */
interface Line {
  readonly statement: Statement<object>;
  readonly asks: Map<string, Ask>;
  /**
   * Connections on which the statement is not under way. One at a time on each: the busier a process is, the more keys
   * are gathered, and a frozen connection holds up the statement that is on it and no other.
   */
  readonly free: number[];
  lostInARow: number;
}

/**
 * Gathers the keys that one turn of the event loop asks a shared read for into one statement. Sent in the check phase,
 * right after the requests of the turn were read: an idle process waits for nothing. A statement begins after every
 * caller came whom it answers, so each reads what had been committed by then, as with a statement of its own.
 */
export class SharedReads {
  readonly #send: SendShared;
  readonly #toCallersError: (error: unknown) => unknown;
  readonly #connections: number;
  readonly #lines = new Map<string, Line>();
  #waiting = 0;
  #isFlushSet = false;

  /** `connections`: how many there are to send on. `toCallersError`: what callers are told of an error of `send`. */
  constructor(
    send: SendShared,
    connections: number,
    toCallersError: (error: unknown) => unknown = (error) => error,
  ) {
    this.#send = send;
    this.#toCallersError = toCallersError;
    this.#connections = connections;
  }

  /**
   * The row of one key, or undefined when there is none: the very promise that the statement's answer settles, since each
   * one between them would be made for every request. It rejects when too many
   * wait.
   */
  find<Row extends object>(
    statement: Statement<Row>,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    try {
      const asked = this.#ask(statement, values);
      if (!isAskedOf(statement, asked)) throw new Error(`${statement.name} has other rows`);
      return asked;
    } catch (error) {
      return Promise.reject(asError(error));
    }
  }

  #ask(statement: Statement<object>, values: readonly unknown[]): Promise<object | undefined> {
    const texts = values.map(textOf);
    // No text of PostgreSQL holds the character.
    const key = texts.join('\0');
    const line = this.#lines.get(statement.name) ?? this.#addLine(statement);
    const earlier = line.asks.get(key);
    if (earlier !== undefined) return earlier.answer.promise;
    if (this.#waiting >= WAITING_MAX) throw new DatabaseBusy('too many reads wait');
    const ask: Ask = { values: texts, answer: Promise.withResolvers() };
    line.asks.set(key, ask);
    this.#waiting += 1;
    this.#flushSoon();
    return ask.answer.promise;
  }

  #addLine(statement: Statement<object>): Line {
    const free = Array.from({ length: this.#connections }, (_, connection) => connection);
    const line: Line = { statement, asks: new Map(), free, lostInARow: 0 };
    this.#lines.set(statement.name, line);
    return line;
  }

  #flushSoon(): void {
    if (this.#isFlushSet) return;
    this.#isFlushSet = true;
    setImmediate(() => {
      this.#isFlushSet = false;
      for (const line of this.#lines.values()) this.#flush(line);
    });
  }

  #flush(line: Line): void {
    while (line.asks.size > 0) {
      const connection = line.free.pop();
      if (connection === undefined) return;
      void this.#answer(line, this.#take(line, KEYS_MAX), connection);
    }
  }

  async #answer(line: Line, asks: readonly Ask[], connection: number): Promise<void> {
    const { statement } = line;
    try {
      const rows = await this.#send(statement, columnsOf(asks), connection);
      line.lostInARow = 0;
      settle(statement, asks, rows);
    } catch (error) {
      const told = this.#toCallersError(error);
      for (const ask of asks) ask.answer.reject(told);
      line.lostInARow = isLostConnection(error) ? line.lostInARow + 1 : 0;
      // None has answered: what waits would be sent by turns to a database that is away, each for the longest answer.
      if (line.lostInARow >= this.#connections) {
        for (const ask of this.#take(line, line.asks.size)) ask.answer.reject(told);
      }
    }
    line.free.push(connection);
    if (line.asks.size > 0) this.#flushSoon();
  }

  #take({ asks }: Line, most: number): readonly Ask[] {
    const taken: Ask[] = [];
    for (const [key, ask] of asks) {
      if (taken.length === most) break;
      taken.push(ask);
      asks.delete(key);
    }
    this.#waiting -= taken.length;
    return taken;
  }
}

function columnsOf(asks: readonly Ask[]): string[][] {
  const parts = asks[0]?.values ?? [];
  return parts.map((_, part) => asks.map(({ values }) => values[part] ?? ''));
}

function settle(statement: Statement<object>, asks: readonly Ask[], rows: readonly object[]): void {
  const found = new Map<Ask, object>();
  for (const row of rows) {
    const [number, own] = numberOf(row);
    const ask = asks[number - 1];
    if (ask === undefined) throw new Error(`${statement.name} returned a row of no key`);
    if (found.has(ask)) throw new Error(`${statement.name} returned two rows of one key`);
    found.set(ask, own);
  }
  for (const ask of asks) ask.answer.resolve(found.get(ask));
}

function numberOf(row: { readonly asked?: unknown }): readonly [number: number, own: object] {
  const { asked, ...own } = row;
  return [typeof asked === 'number' ? asked : 0, own];
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new Error('the key of a shared read is text');
  return value;
}

/** A row of the driver is what its statement declares: the statement's word, as everywhere. */
function isAskedOf<Row extends object>(
  _statement: Statement<Row>,
  _asked: Promise<object | undefined>,
): _asked is Promise<Row | undefined> {
  return true;
}
