import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

export type ReceiversOrder =
  | { readonly kind: 'open'; readonly count: number }
  | { readonly kind: 'take' };

export interface ReceiversReply {
  readonly urls?: readonly string[];
  readonly arrivals?: readonly (readonly [receiver: number, atMs: number])[];
}

export interface SenderOrder {
  readonly urls: readonly string[];
}

/** Asks a child process one thing at a time. */
class AskedProcess implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(program: string) {
    this.#child = fork(new URL(program, import.meta.url), {
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async ask(order: ReceiversOrder | SenderOrder): Promise<unknown> {
    return await new Promise((resolve, reject) => {
      const fail = (code: number | null): void => reject(new Error(`a process ended with ${code}`));
      this.#child.once('exit', fail);
      this.#child.once('message', (reply) => {
        this.#child.off('exit', fail);
        resolve(reply);
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

/** Receivers that only count, in a process of their own. */
export class CountingReceivers extends AskedProcess {
  constructor() {
    super('./notice-receivers.ts');
  }

  async open(count: number): Promise<readonly string[]> {
    return (await this.#ask({ kind: 'open', count })).urls ?? [];
  }

  /** Arrivals since the last call, by receiver (from 0) and instant (`performance.timeOrigin + performance.now()`). */
  async take(): Promise<readonly (readonly [receiver: number, atMs: number])[]> {
    return (await this.#ask({ kind: 'take' })).arrivals ?? [];
  }

  async #ask(order: ReceiversOrder): Promise<ReceiversReply> {
    return (await this.ask(order)) as ReceiversReply;
  }
}

/** The guarded sender, without anything else, in a process of its own. */
export class LoneSender extends AskedProcess {
  constructor() {
    super('./notice-sender.ts');
  }

  /** Sends one notice to each address; returns the milliseconds that took. */
  async sendWave(urls: readonly string[]): Promise<number> {
    return ((await this.ask({ urls })) as { readonly ms: number }).ms;
  }
}
