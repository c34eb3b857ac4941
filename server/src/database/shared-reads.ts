import { DatabaseBusy } from './database.ts';
import { asError, isLostConnection } from './fault.ts';
import type { Statement } from './statement.ts';

/**
 * Most keys in one statement. More answers would block the event loop for longer than a
 * millisecond; fewer would only split a burst into more statements.
 */
const KEYS_MAX = 250;
/** Keys that may wait, so that a frozen backend does not collect every request. */
const WAITING_MAX = 20_000;

/** Sends a statement on one of the connections; its parameters are the columns of its keys. */
export type SendShared = (
  statement: Statement<object>,
  columns: readonly (readonly string[])[],
  connection: number,
) => Promise<readonly object[]>;

interface Ask {
  readonly values: readonly string[];
  readonly answer: PromiseWithResolvers<object | undefined>;
}

/** The pending batch of one statement, each key once. */
interface Line {
  readonly statement: Statement<object>;
  readonly asks: Map<string, Ask>;
  /**
   * Connections on which the statement is not running. Each connection runs it once at a time: a
   * busier process batches more keys, and a frozen connection delays only the batch that was sent
   * on it.
   */
  readonly free: number[];
  lostInARow: number;
}

/**
 * Batches the keys that are asked for in one tick of the event loop into one statement. It is sent
 * in the check phase, right after the requests of the tick were read, so an idle process adds no
 * delay. The statement starts after all its callers have asked, so each of them sees everything
 * committed by then, as with a separate statement.
 */
export class SharedReads {
  readonly #send: SendShared;
  readonly #toCallersError: (error: unknown) => unknown;
  readonly #connections: number;
  readonly #lines = new Map<string, Line>();
  #waiting = 0;
  #isFlushSet = false;

  /**
   * `connections`: how many there are. `toCallersError` maps an error of `send` to the one that
   * callers get.
   */
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
   * The row of one key, or undefined when there is none. Returns the same promise that the answer
   * settles: a wrapper would be one more promise per request. Rejects when too many keys wait.
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
    // PostgreSQL text cannot contain this character.
    const key = texts.join('\0');
    const line = this.#lines.get(statement.name) ?? this.#addLine(statement);
    const earlier = line.asks.get(key);
    if (earlier !== undefined) return earlier.answer.promise;
    if (this.#waiting >= WAITING_MAX) throw new DatabaseBusy('too many reads are waiting');
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
      // Every connection has failed: sending the waiting keys would only wait for one timeout after
      // another.
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

/** Trusts the row type that the statement declares, as everywhere. */
function isAskedOf<Row extends object>(
  _statement: Statement<Row>,
  _asked: Promise<object | undefined>,
): _asked is Promise<Row | undefined> {
  return true;
}
