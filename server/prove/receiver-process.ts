import { type ChildProcess, fork } from 'node:child_process';
import type { Registration } from './event-check.ts';
import type { Behavior } from './receiver-behavior.ts';
import type { Arrival } from './receiver.ts';

/** A command to the receivers' process. */
export type ReceiverCommand =
  | { readonly kind: 'open'; readonly behaviors: readonly Behavior[] }
  | {
      readonly kind: 'register';
      readonly partnerUrl: string;
      readonly registrations: readonly (Registration & { readonly receiver: number })[];
    }
  | { readonly kind: 'held' }
  | { readonly kind: 'arrivals' }
  | { readonly kind: 'next arrival'; readonly of: Behavior };

/** The reply to a command. */
export interface ReceiverReply {
  readonly urls?: readonly string[];
  readonly held?: readonly (readonly (readonly [id: string, price: unknown])[])[];
  readonly arrivals?: readonly Arrival[];
  readonly canaryHits?: number;
}

/** Receivers of deliveries in a separate process. */
export class ReceiverProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: ReceiverReply) => void>();
  #commands = 0;

  constructor() {
    this.#child = fork(new URL('./receiver-program.ts', import.meta.url), { execArgv: [] });
    this.#child.on('message', (message: { readonly id: number; readonly reply: ReceiverReply }) => {
      this.#waiting.get(message.id)?.(message.reply);
      this.#waiting.delete(message.id);
    });
    this.#child.once('exit', (code, signal) => {
      if (signal === null && code !== 0) throw new Error(`the receivers ended with ${code}`);
    });
  }

  /** Opens receivers, numbered from 0 in this command. Returns the address of each. */
  async open(behaviors: readonly Behavior[]): Promise<readonly string[]> {
    return (await this.#ask({ kind: 'open', behaviors })).urls ?? [];
  }

  async register(
    partnerUrl: string,
    registrations: readonly (Registration & { readonly receiver: number })[],
  ): Promise<void> {
    await this.#ask({ kind: 'register', partnerUrl, registrations });
  }

  /** Returns the known units of each receiver, with their prices. */
  async held(): Promise<readonly ReadonlyMap<string, unknown>[]> {
    const { held = [] } = await this.#ask({ kind: 'held' });
    return held.map((entries) => new Map(entries));
  }

  /**
   * Returns the arrivals up to now, in order, and the number of redirects that the service
   * followed.
   */
  async report(): Promise<{ readonly arrivals: readonly Arrival[]; readonly canaryHits: number }> {
    const { arrivals = [], canaryHits = 0 } = await this.#ask({ kind: 'arrivals' });
    return { arrivals, canaryHits };
  }

  /**
   * Resolves when the next delivery for a receiver with this behavior arrives, before the response.
   */
  async nextArrival(of: Behavior): Promise<void> {
    await this.#ask({ kind: 'next arrival', of });
  }

  async #ask(command: ReceiverCommand): Promise<ReceiverReply> {
    const id = this.#commands++;
    return await new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#child.send({ id, command });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await ended;
  }
}
