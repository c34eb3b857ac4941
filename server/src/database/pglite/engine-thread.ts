import { MessageChannel, Worker } from 'node:worker_threads';
import { asError } from '../fault.ts';
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts';
import { WireStream } from './wire-stream.ts';

/** Longest wait for the worker to close; it writes a checkpoint. Beyond it the worker is ended, which loses nothing. */
const CLOSE_TIMEOUT_MS = 10_000;

/** The worker thread that runs the embedded engine, and whether it lives. */
export class EngineThread {
  /** Called once when the thread has ended by itself, or has said that it cannot go on. */
  onDeath: (error: Error) => void = () => {
    // Until the engine is ready, whoever waits for it is told.
  };
  readonly #worker: Worker;
  /** Rejects when the thread has died, so that nobody waits for its answers any more. */
  readonly #death = Promise.withResolvers<never>();
  #clients = 0;
  #isDead = false;
  #isClosing = false;

  /** @param file what runs in the thread (tests: another than the engine) */
  constructor(start: WorkerStart, file = new URL('./worker.ts', import.meta.url)) {
    this.#worker = new Worker(file, {
      workerData: start,
      // Not the process's own flags: some (`--input-type`) are refused to a worker with a file.
      execArgv: [],
    });
    this.#death.promise.catch(() => {
      // Whoever waits is told; there may be nobody.
    });
    this.#worker.on('error', (error: unknown) => this.#die(asError(error)));
    this.#worker.on('exit', (code) => this.#die(new Error(`its thread ended with code ${code}`)));
    this.#worker.on('message', (message: FromWorker) => {
      if (message.kind === 'fault') this.#die(new Error(message.reason));
    });
  }

  /**
   * Waits until the engine is ready.
   *
   * @throws Error when it cannot be; then its thread has ended.
   */
  async open(): Promise<void> {
    try {
      await this.hear('ready');
    } catch (error) {
      // Until it has ended it may still write to the folder.
      await this.#worker.terminate();
      throw error;
    }
  }

  say(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  keepAlive(isKept: boolean): void {
    if (isKept) this.#worker.ref();
    else this.#worker.unref();
  }

  connect(): WireStream {
    const { port1, port2 } = new MessageChannel();
    this.#clients += 1;
    const message: ToWorker = { kind: 'connect', id: this.#clients, port: port2 };
    this.#worker.postMessage(message, [port2]);
    return new WireStream(port1);
  }

  /** Waits for one kind of message of the worker. */
  async hear<Kind extends FromWorker['kind']>(kind: Kind): Promise<FromWorker & { kind: Kind }> {
    const heard = Promise.withResolvers<FromWorker & { kind: Kind }>();
    const listen = (message: FromWorker): void => {
      if (isOfKind(message, kind)) heard.resolve(message);
    };
    this.#worker.on('message', listen);
    try {
      return await Promise.race([heard.promise, this.#death.promise]);
    } finally {
      this.#worker.off('message', listen);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    const ended = new Promise((resolve) => this.#worker.once('exit', resolve));
    const closed = this.hear('closed').catch(() => null);
    this.say({ kind: 'close' });
    await Promise.race([closed, ended, timeout]);
    clearTimeout(timer);
    await this.#worker.terminate();
  }

  #die(cause: Error): void {
    if (this.#isClosing || this.#isDead) return;
    this.#isDead = true;
    const error = new Error(`the embedded database has ended: ${cause.message}`, { cause });
    this.#death.reject(cause);
    // A thread that said so may spin for ever, and the statements that wait for it with it.
    void this.#worker.terminate();
    this.onDeath(error);
  }
}

function isOfKind<Kind extends FromWorker['kind']>(
  message: FromWorker,
  kind: Kind,
): message is FromWorker & { kind: Kind } {
  return message.kind === kind;
}
