import { closeStatementsUnit, errorFrame, queryFrame, readAnswer, readyFrame } from './frames.ts';
import { UnitReader } from './unit-reader.ts';

/** The times after which a client is told to give way, in milliseconds. */
export interface SessionLimits {
  /** Longest wait for the session while another client's transaction has it: the wait for a lock, here. */
  readonly waitMs: number;
  /** A transaction that idles longer is rolled back and its client dismissed: it blocks everyone. */
  readonly idleInTransactionMs: number;
}

/** As PostgreSQL is told for its clients (`postgresql-engine.ts`). */
export const sessionLimits: SessionLimits = { waitMs: 5_000, idleInTransactionMs: 10_000 };

/** Units run in one turn of the event loop; more would keep bytes of the other clients from being taken in. */
const UNITS_PER_TURN = 64;
/** Units of one client that may wait. Beyond it something sends without ever reading. */
const UNITS_WAITING_MAX = 20_000;

const LOCK_NOT_AVAILABLE = '55P03';
const IDLE_IN_TRANSACTION = '25P03';
const PROTOCOL_VIOLATION = '08P01';

/** Where a client's answers go. */
export interface Outlet {
  send(bytes: Uint8Array): void;
  close(): void;
}

interface Client {
  readonly id: number;
  readonly outlet: Outlet;
  readonly reader: UnitReader;
  readonly units: { readonly bytes: Buffer; readonly sinceMs: number }[];
}

/**
 * One PostgreSQL session shared by many clients: one at a time has it, from the first byte of a unit until
 * ReadyForQuery says that no transaction is open.
 */
export class SharedSession {
  readonly #execute: (unit: Uint8Array) => Uint8Array;
  readonly #greeting: Uint8Array;
  readonly #limits: SessionLimits;
  /** In the order of turns: whoever was served goes to the end. */
  readonly #clients = new Map<number, Client>();
  #owner: Client | null = null;
  #isScheduled = false;
  #clock: NodeJS.Timeout | undefined;
  #ownerIdleSinceMs = 0;

  /**
   * @param execute runs one unit to its end and returns the whole answer.
   * @param greeting what a new client is answered: one engine, so always the same.
   */
  constructor(
    execute: (unit: Uint8Array) => Uint8Array,
    greeting: Uint8Array,
    limits: SessionLimits,
  ) {
    this.#execute = execute;
    this.#greeting = greeting;
    this.#limits = limits;
  }

  /** A new client. Returns what takes its bytes, and what to call when its stream has closed. */
  join(id: number, outlet: Outlet): { hear(bytes: Uint8Array): void; leave(): void } {
    const client: Client = { id, outlet, reader: new UnitReader(id), units: [] };
    this.#clients.set(id, client);
    return {
      hear: (bytes) => this.#hear(client, bytes),
      leave: () => this.#leave(client),
    };
  }

  /** Ends a transaction that is open and dismisses every client. */
  close(): void {
    for (const client of this.#clients.values()) this.#leave(client);
    clearTimeout(this.#clock);
  }

  #hear(client: Client, bytes: Uint8Array): void {
    for (const heard of client.reader.read(bytes)) {
      if (!this.#clients.has(client.id)) return;
      switch (heard.kind) {
        case 'startup':
          client.outlet.send(this.#greeting);
          break;
        case 'unit':
          client.units.push({ bytes: heard.bytes, sinceMs: performance.now() });
          break;
        case 'leave':
          this.#leave(client);
          break;
        case 'refuse':
          this.#dismiss(client, PROTOCOL_VIOLATION, heard.reason);
          break;
      }
    }
    if (client.units.length > UNITS_WAITING_MAX) {
      this.#dismiss(client, PROTOCOL_VIOLATION, 'too many statements wait');
    }
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#runTurn());
  }

  #runTurn(): void {
    this.#isScheduled = false;
    for (let count = 0; count < UNITS_PER_TURN; count++) {
      const client = this.#owner ?? this.#nextClient();
      const unit = client?.units.shift();
      if (client === null || unit === undefined) {
        this.#watch();
        return;
      }
      this.#run(client, unit.bytes);
    }
    this.#schedule();
  }

  #nextClient(): Client | null {
    for (const client of this.#clients.values()) {
      if (client.units.length === 0) continue;
      this.#clients.delete(client.id);
      this.#clients.set(client.id, client);
      return client;
    }
    return null;
  }

  #run(client: Client, unit: Buffer): void {
    const answer = readAnswer(this.#execute(unit));
    this.#owner = answer.isIdle ? null : client;
    this.#ownerIdleSinceMs = performance.now();
    // Before the answer, so that whoever committed finds the caches of this process already told.
    this.#tellAll(answer.notifications);
    client.outlet.send(answer.bytes);
  }

  /** While a transaction waits for its client, both it and those who wait for it have a deadline. */
  #watch(): void {
    clearTimeout(this.#clock);
    if (this.#owner === null) return;
    const deadlines = [this.#ownerIdleSinceMs + this.#limits.idleInTransactionMs];
    for (const client of this.#clients.values()) {
      const first = client === this.#owner ? undefined : client.units[0];
      if (first !== undefined) deadlines.push(first.sinceMs + this.#limits.waitMs);
    }
    const waitMs = Math.max(0, Math.min(...deadlines) - performance.now());
    this.#clock = setTimeout(() => this.#enforce(), Math.ceil(waitMs));
  }

  #enforce(): void {
    const owner = this.#owner;
    if (owner === null || owner.units.length > 0) return this.#schedule();
    const nowMs = performance.now();
    for (const client of this.#clients.values()) {
      const first = client === owner ? undefined : client.units[0];
      if (first === undefined || first.sinceMs + this.#limits.waitMs > nowMs) continue;
      // All that it sent, or a statement would run whose preparation was refused.
      for (const _ of client.units.splice(0)) {
        client.outlet.send(
          errorFrame('ERROR', LOCK_NOT_AVAILABLE, 'another transaction has the embedded session'),
        );
        client.outlet.send(readyFrame());
      }
    }
    if (this.#ownerIdleSinceMs + this.#limits.idleInTransactionMs <= nowMs) {
      this.#dismiss(owner, IDLE_IN_TRANSACTION, 'the transaction idled too long');
    }
    this.#schedule();
  }

  #dismiss(client: Client, code: string, reason: string): void {
    client.outlet.send(errorFrame('FATAL', code, reason));
    this.#leave(client);
  }

  /** What a client leaves behind goes with it: its transaction and its prepared statements. */
  #leave(client: Client): void {
    if (!this.#clients.delete(client.id)) return;
    client.outlet.close();
    if (this.#owner === client) {
      this.#owner = null;
      this.#runOwn(queryFrame('rollback'));
    }
    // Not `deallocate`, which fails inside another client's transaction that has failed.
    const names = client.reader.preparedNames;
    if (names.length > 0) this.#runOwn(closeStatementsUnit(names));
    this.#schedule();
  }

  #runOwn(unit: Buffer): void {
    this.#tellAll(readAnswer(this.#execute(unit)).notifications);
  }

  #tellAll(notifications: Buffer | null): void {
    if (notifications === null) return;
    for (const client of this.#clients.values()) client.outlet.send(notifications);
  }
}
