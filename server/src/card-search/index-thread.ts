import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { asError } from '../database/errors.ts';
import type { CardsText } from './index-source.ts';
import type { IndexSize } from './layered-index.ts';
import type { MessageFromIndex, IndexWorkerData, MessageToIndex } from './thread-messages.ts';

/**
 * Limits the pages sent ahead: the thread works on one page while another waits. A page has about 1
 * MB.
 */
const PAGES_AHEAD_MAX = 2;
/** The thread could not answer more searches than this within `SEARCH_TIMEOUT_MS`. */
const SEARCHES_WAITING_MAX = 200;
/** A query takes 25 ms at most, but it may wait for a layer's build or a busy machine. */
const SEARCH_TIMEOUT_MS = 5_000;
/** A thread that has not answered any call for this long is stuck. Building a layer takes 0.2 s. */
const SILENCE_MS_MAX = 20_000;

/**
 * Size of V8's young generation in the thread. With the default, the heap after a build is 2.5
 * times as large, and the build is not faster.
 */
const YOUNG_MB = 32;

export class IndexGone extends Error {
  override name = 'IndexGone';
}

interface Call {
  readonly resolve: (message: MessageFromIndex) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A worker thread with one search index. It builds the base from pages of cards, then serves
 * searches until it is closed.
 */
export class IndexThread {
  readonly #worker: Worker;
  readonly #pages: MessagePort;
  readonly #pageSignal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #built = Promise.withResolvers<IndexSize>();
  readonly #ended = Promise.withResolvers<never>();
  readonly #calls = new Map<number, Call>();
  #callCount = 0;
  #searches = 0;
  #pagesAhead = 0;
  #onPageTaken: (() => void) | null = null;
  #onIdle: (() => void) | null = null;
  #lastMessageAtMs = performance.now();
  #isEnded = false;
  readonly #onUnexpectedExit: (error: Error) => void;

  constructor(onUnexpectedExit: (error: Error) => void) {
    this.#onUnexpectedExit = onUnexpectedExit;
    const { port1, port2 } = new MessageChannel();
    this.#pages = port1;
    const start: IndexWorkerData = { pages: port2, pageSignal: this.#pageSignal.buffer };
    this.#worker = new Worker(new URL('./index-worker.ts', import.meta.url), {
      name: 'cardport-search',
      workerData: start,
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      // Do not inherit the process's flags: some (`--input-type`) are invalid for a worker from a
      // file.
      execArgv: [],
    });
    for (const promise of [this.#built.promise, this.#ended.promise]) {
      promise.catch(() => {
        // Waiting callers get the error. This handler prevents an unhandled rejection when no
        // caller waits.
      });
    }
    this.#worker.on('message', (message: MessageFromIndex) => this.#handleMessage(message));
    this.#worker.on('messageerror', (error: unknown) => this.#fail(asError(error)));
    this.#worker.on('error', (error: unknown) => this.#fail(asError(error)));
    this.#worker.on('exit', (code) => this.#fail(new Error(`it ended with code ${code}`)));
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Sends a page to the thread after waiting until fewer than `PAGES_AHEAD_MAX` are ahead.
   *
   * @throws IndexGone
   */
  async addPage(text: CardsText): Promise<void> {
    if (this.#pagesAhead >= PAGES_AHEAD_MAX) {
      const room = new Promise<void>((resolve) => {
        this.#onPageTaken = resolve;
      });
      await Promise.race([room, this.#ended.promise]);
    }
    this.#pagesAhead += 1;
    this.#sendPage(text);
  }

  /**
   * Resolves when the base is built.
   *
   * @throws IndexGone
   */
  async finish(): Promise<IndexSize> {
    this.#sendPage(null);
    return await this.#built.promise;
  }

  /**
   * Applies changes. `ids` has all changed cards, joined with commas; `text` has the active cards.
   *
   * @throws IndexGone
   */
  async apply(ids: string, text: CardsText): Promise<IndexSize> {
    const reply = await this.#call((call) => ({ kind: 'apply', callId: call, ids, text }));
    if (reply.kind !== 'applied') throw new Error(`applied: ${reply.kind}`);
    return reply.size;
  }

  /**
   * Returns the ids of the best `limit` cards, or null on timeout or if too many searches wait.
   *
   * @throws IndexGone
   */
  async find(text: string, limit: number): Promise<readonly string[] | null> {
    if (this.#searches >= SEARCHES_WAITING_MAX) return null;
    this.#searches += 1;
    // A search counts until it is answered, even after its timeout, to bound the thread's queue.
    const asked = this.#call((call) => ({ kind: 'find', callId: call, text, limit })).finally(
      () => {
        this.#searches -= 1;
        if (this.#searches === 0) this.#onIdle?.();
      },
    );
    const timeout = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      timeout.resolve(null);
      this.#endIfStuck();
    }, SEARCH_TIMEOUT_MS);
    try {
      const reply = await Promise.race([asked, timeout.promise]);
      return reply?.kind === 'found' ? reply.ids : null;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the thread once its searches are answered, after `SEARCH_TIMEOUT_MS` at the latest. */
  async retire(): Promise<void> {
    if (this.#searches > 0) {
      const answered = Promise.withResolvers<void>();
      this.#onIdle = answered.resolve;
      const timer = setTimeout(answered.resolve, SEARCH_TIMEOUT_MS);
      await Promise.race([answered.promise, this.#ended.promise.catch(() => undefined)]);
      clearTimeout(timer);
    }
    await this.close();
  }

  async close(): Promise<void> {
    this.#end(new IndexGone('the index was closed'));
    await this.#worker.terminate();
  }

  #sendPage(page: CardsText | null): void {
    this.#pages.postMessage(page);
    Atomics.add(this.#pageSignal, 0, 1);
    Atomics.notify(this.#pageSignal, 0);
  }

  async #call(message: (call: number) => MessageToIndex): Promise<MessageFromIndex> {
    if (this.#isEnded) throw new IndexGone('the index has ended');
    this.#callCount += 1;
    const call = this.#callCount;
    // Silence is measured from the first waiting call: without calls the thread is idle.
    if (this.#calls.size === 0) this.#lastMessageAtMs = performance.now();
    const reply = Promise.withResolvers<MessageFromIndex>();
    this.#calls.set(call, reply);
    this.#worker.postMessage(message(call));
    return await reply.promise;
  }

  #handleMessage(message: MessageFromIndex): void {
    this.#lastMessageAtMs = performance.now();
    switch (message.kind) {
      case 'taken':
        this.#pagesAhead -= 1;
        this.#onPageTaken?.();
        break;
      case 'built':
        this.#built.resolve(message.size);
        break;
      case 'applied':
      case 'found':
        this.#calls.get(message.callId)?.resolve(message);
        this.#calls.delete(message.callId);
        break;
    }
  }

  #endIfStuck(): void {
    if (performance.now() - this.#lastMessageAtMs < SILENCE_MS_MAX) return;
    this.#fail(new Error(`it did not respond for ${SILENCE_MS_MAX / 1_000} s`));
    void this.#worker.terminate();
  }

  #fail(cause: Error): void {
    if (this.#isEnded) return;
    this.#end(new IndexGone('the thread of the search index has ended', { cause }));
    this.#onUnexpectedExit(
      new Error(`the thread of the search index has ended: ${cause.message}`, { cause }),
    );
  }

  #end(error: IndexGone): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#pages.close();
    this.#built.reject(error);
    this.#ended.reject(error);
    for (const { reject } of this.#calls.values()) reject(error);
    this.#calls.clear();
  }
}
