import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { asError } from '../../database/fault.ts';
import type { CardsText } from './index-source.ts';
import type { IndexSize } from './layered-index.ts';
import type { FromIndex, IndexStart, ToIndex } from './messages.ts';

/**
 * Pages that are on their way to the thread: one that it works on, one that waits, so that it never does. Each is
 * about 1 MB.
 */
const PAGES_AHEAD_MAX = 2;
/** Searches that the thread has not answered yet. More than it answers within their time would only wait in vain. */
const SEARCHES_WAITING_MAX = 200;
/** Longest wait for an answer. A query takes 25 ms at most, but a layer, or a busy machine, may come before it. */
const SEARCH_WAIT_MS = 5_000;
/** A thread that has said nothing for so long while it was asked is stuck. A layer takes it 0.2 s. */
const SILENCE_MS_MAX = 20_000;

/**
 * V8's nursery in the thread. With its own choice, building leaves 2.5 times as large a heap behind, and takes no less
 * time.
 */
const YOUNG_MB = 32;

/** The thread has ended, or was ended. */
export class IndexGone extends Error {
  override name = 'IndexGone';
}

/** A call that waits for the thread's answer. */
interface Call {
  readonly resolve: (message: FromIndex) => void;
  readonly reject: (error: Error) => void;
}

/** One thread with one search index: it is fed with pages, then answers until it is closed. */
export class IndexThread {
  readonly #worker: Worker;
  readonly #pages: MessagePort;
  readonly #rings = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #built = Promise.withResolvers<IndexSize>();
  readonly #ended = Promise.withResolvers<never>();
  readonly #calls = new Map<number, Call>();
  #callCount = 0;
  #searches = 0;
  #pagesAhead = 0;
  #roomForPage: (() => void) | null = null;
  #whenIdle: (() => void) | null = null;
  #heardAtMs = performance.now();
  #isEnded = false;
  /** Called once when the thread has ended by itself. */
  readonly #onDeath: (error: Error) => void;

  /** Starts the thread. `onDeath` is called once should it end by itself. */
  constructor(onDeath: (error: Error) => void) {
    this.#onDeath = onDeath;
    const { port1, port2 } = new MessageChannel();
    this.#pages = port1;
    const start: IndexStart = { pages: port2, bell: this.#rings.buffer };
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      name: 'cardport-search',
      workerData: start,
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
      // Not the process's own flags: some (`--input-type`) are refused to a worker with a file.
      execArgv: [],
    });
    for (const promise of [this.#built.promise, this.#ended.promise]) {
      promise.catch(() => {
        // Whoever waits is told; there may be nobody.
      });
    }
    this.#worker.on('message', (message: FromIndex) => this.#hear(message));
    this.#worker.on('messageerror', (error: unknown) => this.#die(asError(error)));
    this.#worker.on('error', (error: unknown) => this.#die(asError(error)));
    this.#worker.on('exit', (code) => this.#die(new Error(`it ended with code ${code}`)));
  }

  /** True when it has ended, by itself or not. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Sends a page of the base, as soon as there is room for it.
   *
   * @throws IndexGone
   */
  async addPage(text: CardsText): Promise<void> {
    if (this.#pagesAhead >= PAGES_AHEAD_MAX) {
      const room = new Promise<void>((resolve) => {
        this.#roomForPage = resolve;
      });
      await Promise.race([room, this.#ended.promise]);
    }
    this.#pagesAhead += 1;
    this.#sendPage(text);
  }

  /**
   * Says that there is no other page, and waits for the base.
   *
   * @throws IndexGone
   */
  async finish(): Promise<IndexSize> {
    this.#sendPage(null);
    return await this.#built.promise;
  }

  /**
   * Takes changed cards in: `ids` joined with commas, `text` those that are active.
   *
   * @throws IndexGone
   */
  async apply(ids: string, text: CardsText): Promise<IndexSize> {
    const answer = await this.#call((call) => ({ kind: 'apply', call, ids, text }));
    if (answer.kind !== 'applied') throw new Error(`applied: ${answer.kind}`);
    return answer.size;
  }

  /**
   * The ids of the best `limit` cards for a text; null when too many searches wait, or this one waited too long.
   *
   * @throws IndexGone
   */
  async find(text: string, limit: number): Promise<readonly string[] | null> {
    if (this.#searches >= SEARCHES_WAITING_MAX) return null;
    this.#searches += 1;
    // Counted until it is answered, not until nobody waits any more: so the thread's own queue is bounded.
    const asked = this.#call((call) => ({ kind: 'find', call, text, limit })).finally(() => {
      this.#searches -= 1;
      if (this.#searches === 0) this.#whenIdle?.();
    });
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => {
      late.resolve(null);
      this.#endIfStuck();
    }, SEARCH_WAIT_MS);
    try {
      const answer = await Promise.race([asked, late.promise]);
      return answer?.kind === 'found' ? answer.ids : null;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the thread when it has answered the searches that it has; at the latest when their time is over. */
  async retire(): Promise<void> {
    if (this.#searches > 0) {
      const answered = Promise.withResolvers<void>();
      this.#whenIdle = answered.resolve;
      const timer = setTimeout(answered.resolve, SEARCH_WAIT_MS);
      await Promise.race([answered.promise, this.#ended.promise.catch(() => undefined)]);
      clearTimeout(timer);
    }
    await this.close();
  }

  /** Ends the thread. Whoever waits for it is told `IndexGone`. */
  async close(): Promise<void> {
    this.#end(new IndexGone('the index was closed'));
    await this.#worker.terminate();
  }

  #sendPage(page: CardsText | null): void {
    this.#pages.postMessage(page);
    Atomics.add(this.#rings, 0, 1);
    Atomics.notify(this.#rings, 0);
  }

  async #call(message: (call: number) => ToIndex): Promise<FromIndex> {
    if (this.#isEnded) throw new IndexGone('the index has ended');
    this.#callCount += 1;
    const call = this.#callCount;
    // It owes nothing before it is asked.
    if (this.#calls.size === 0) this.#heardAtMs = performance.now();
    const answer = Promise.withResolvers<FromIndex>();
    this.#calls.set(call, answer);
    this.#worker.postMessage(message(call));
    return await answer.promise;
  }

  #hear(message: FromIndex): void {
    this.#heardAtMs = performance.now();
    switch (message.kind) {
      case 'taken':
        this.#pagesAhead -= 1;
        this.#roomForPage?.();
        break;
      case 'built':
        this.#built.resolve(message.size);
        break;
      case 'applied':
      case 'found':
        this.#calls.get(message.call)?.resolve(message);
        this.#calls.delete(message.call);
        break;
    }
  }

  #endIfStuck(): void {
    if (performance.now() - this.#heardAtMs < SILENCE_MS_MAX) return;
    this.#die(new Error(`it said nothing for ${SILENCE_MS_MAX / 1_000} s`));
    void this.#worker.terminate();
  }

  #die(cause: Error): void {
    if (this.#isEnded) return;
    this.#end(new IndexGone('the thread of the search index has ended', { cause }));
    this.#onDeath(
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
