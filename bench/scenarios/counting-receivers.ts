import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export type ReceiversRequest =
  | { readonly kind: 'open'; readonly count: number }
  | { readonly kind: 'count' }
  | { readonly kind: 'take' };

export interface ReceiversReply {
  readonly urls?: readonly string[];
  readonly count?: number;
  readonly arrivals?: readonly Arrival[];
}

/** The receiver's index and the time of arrival: `performance.timeOrigin + performance.now()`. */
export type Arrival = readonly [receiver: number, atMs: number];

/**
 * Controls receivers that only count deliveries. They run in a child process on the same core as
 * this process. Calls must not overlap.
 */
export class CountingReceivers implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(new URL('webhook-receivers.ts', import.meta.url), {});
  }

  /** The child's process id, or 0 if the child did not start. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Opens this many receivers, each on its own port, and returns their addresses. */
  async open(count: number): Promise<readonly string[]> {
    return (await this.#request({ kind: 'open', count })).urls ?? [];
  }

  /** Returns the number of deliveries received since the start. */
  async count(): Promise<number> {
    return (await this.#request({ kind: 'count' })).count ?? 0;
  }

  /** Returns the arrivals since the last call. */
  async take(): Promise<readonly Arrival[]> {
    return (await this.#request({ kind: 'take' })).arrivals ?? [];
  }

  async #request(request: ReceiversRequest): Promise<ReceiversReply> {
    return await new Promise((resolve, reject) => {
      const fail = (code: number | null): void => reject(new Error(`receivers ended with ${code}`));
      this.#child.once('exit', fail);
      this.#child.once('message', (reply) => {
        this.#child.off('exit', fail);
        // The child sends only replies.
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion
        resolve(reply as ReceiversReply);
      });
      this.#child.send(request);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
