import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export type ReceiversOrder =
  | { readonly kind: 'open'; readonly count: number }
  | { readonly kind: 'count' }
  | { readonly kind: 'take' };

export interface ReceiversReply {
  readonly urls?: readonly string[];
  readonly count?: number;
  readonly arrivals?: readonly Arrival[];
}

/** A receiver, from 0, and when it was told: `performance.timeOrigin + performance.now()`. */
export type Arrival = readonly [receiver: number, atMs: number];

/** Receivers of notices that only count, in a process of their own on the core of this one. One question at a time. */
export class CountingReceivers implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(new URL('notice-receivers.ts', import.meta.url), {});
  }

  /** Of their process; 0 when it did not start. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Opens so many, each on a port of its own; returns their addresses. */
  async open(count: number): Promise<readonly string[]> {
    return (await this.#ask({ kind: 'open', count })).urls ?? [];
  }

  /** How many notices have arrived since the begin. */
  async count(): Promise<number> {
    return (await this.#ask({ kind: 'count' })).count ?? 0;
  }

  /** Arrivals since the last call. */
  async take(): Promise<readonly Arrival[]> {
    return (await this.#ask({ kind: 'take' })).arrivals ?? [];
  }

  async #ask(order: ReceiversOrder): Promise<ReceiversReply> {
    return await new Promise((resolve, reject) => {
      const fail = (code: number | null): void => reject(new Error(`receivers ended with ${code}`));
      this.#child.once('exit', fail);
      this.#child.once('message', (reply) => {
        this.#child.off('exit', fail);
        // Its program sends nothing else.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        resolve(reply as ReceiversReply);
      });
      this.#child.send(order);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
