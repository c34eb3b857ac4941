import { Worker } from 'node:worker_threads';
import type { IndexCall, IndexReply } from './index-worker.ts';

/** The caller sends one search at a time. After a timeout, several can be in the queue. */
const SEARCHES_WAITING_MAX = 20;
/** A query takes at most 25 ms, but it may wait while a layer is built or the machine is busy. */
const SEARCH_TIMEOUT_MS = 5_000;
/** With V8's default, the heap after a build is 2.5 times as large. */
const YOUNG_MB = 32;

export class IndexThreadEnded extends Error {
  override name = 'IndexThreadEnded';
}

type Waiting = ReturnType<typeof Promise.withResolvers<IndexReply>>;

/** A worker thread with one index. Its methods throw `IndexThreadEnded` once it has ended. */
export class IndexThread {
  readonly #worker: Worker;
  readonly #onUnexpectedExit: (error: Error) => void;
  readonly #waiting: Waiting[] = [];
  #searches = 0;
  #ended: IndexThreadEnded | null = null;

  constructor(onUnexpectedExit: (error: Error) => void) {
    this.#onUnexpectedExit = onUnexpectedExit;
    this.#worker = new Worker(new URL('./index-worker.ts', import.meta.url), {
      name: 'cardport-search',
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      // Do not inherit the process's flags: some (`--input-type`) are invalid for a file.
      execArgv: [],
    });
    this.#worker.on('message', (reply: IndexReply) => this.#waiting.shift()?.resolve(reply));
    this.#worker.on('messageerror', (error: Error) => this.#fail(error));
    this.#worker.on('error', (error: Error) => this.#fail(error));
    this.#worker.on('exit', (code) => this.#fail(new Error(`it ended with code ${code}`)));
  }

  get isEnded(): boolean {
    return this.#ended !== null;
  }

  async call(call: IndexCall): Promise<IndexReply> {
    if (this.#ended !== null) throw this.#ended;
    const waiting: Waiting = Promise.withResolvers();
    this.#waiting.push(waiting);
    this.#worker.postMessage(call);
    return await waiting.promise;
  }

  /** Returns the ids of the best cards, or null on timeout or if too many searches wait. */
  async find(text: string, limit: number): Promise<readonly string[] | null> {
    if (this.#searches >= SEARCHES_WAITING_MAX) return null;
    this.#searches += 1;
    // A search counts until it is answered, even after its timeout, to bound the thread's queue.
    const reply = this.call({ kind: 'find', text, limit }).finally(() => {
      this.#searches -= 1;
    });
    return (await withTimeout(reply))?.ids ?? null;
  }

  /** Closes the thread once its searches are answered, after `SEARCH_TIMEOUT_MS` at the latest. */
  async retire(): Promise<void> {
    await withTimeout(this.call({ kind: 'find', text: '', limit: 0 }).catch(() => null));
    await this.close();
  }

  async close(): Promise<void> {
    this.#end(new IndexThreadEnded('the index was closed'));
    await this.#worker.terminate();
  }

  #fail(cause: Error): void {
    if (this.isEnded) return;
    const message = 'the thread of the search index has ended';
    this.#end(new IndexThreadEnded(message, { cause }));
    this.#onUnexpectedExit(new Error(`${message}: ${cause.message}`, { cause }));
  }

  #end(error: IndexThreadEnded): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

async function withTimeout<T>(promise: Promise<T>): Promise<T | null> {
  const timeout = Promise.withResolvers<null>();
  const timer = setTimeout(timeout.resolve, SEARCH_TIMEOUT_MS, null);
  return await Promise.race([promise, timeout.promise]).finally(() => clearTimeout(timer));
}
