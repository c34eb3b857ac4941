import { MessageChannel, Worker } from 'node:worker_threads';
import type pg from 'pg';
import type { Engine } from './engine.ts';
import { asError } from './fault.ts';
import { Housekeeping } from './pglite/housekeeping.ts';
import { lockFolder } from './pglite/folder-lock.ts';
import type { FromWorker, ToWorker, WorkerStart } from './pglite/messages.ts';
import { type SessionLimits, sessionLimits } from './pglite/session.ts';
import { WireStream } from './pglite/wire-stream.ts';

export { FolderInUse } from './pglite/folder-lock.ts';
export { FolderUnusable } from './pglite/folder.ts';

/** Longest wait for the worker to close; it writes a checkpoint. Beyond it the worker is ended, which loses nothing. */
const CLOSE_TIMEOUT_MS = 10_000;

export interface PgliteOptions {
  /** The data folder, which this process takes for itself; null keeps everything in memory (tests). */
  readonly folder: string | null;
  /**
   * Called when the engine's thread has ended by itself. The process must end: what it holds in memory may be ahead
   * of the folder, and every query would wait for ever. Without it the error is thrown, which ends the process.
   */
  readonly onDeath?: (error: Error) => void;
  /** Told when a checkpoint or a vacuum failed; it is tried again. */
  readonly onFault?: (error: Error) => void;
  /** In memory: the file of a tar (`PgliteEngine.dump`) to begin with. */
  readonly dump?: string;
  readonly limits?: SessionLimits;
}

/** The embedded engine. */
export interface PgliteEngine extends Engine {
  readonly kind: 'pglite';
  /** The whole cluster as a tar, to begin another with. No statement may run meanwhile. */
  dump(): Promise<Uint8Array>;
  /** Whether the engine's thread keeps the process from ending (true at first). */
  keepAlive(isKept: boolean): void;
}

/**
 * PGlite in a worker thread of its own, behind ordinary `pg` clients: one session, which the clients share in turn.
 *
 * @throws FolderInUse when another process has the folder; FolderUnusable when it cannot be one.
 */
export async function pgliteEngine(options: PgliteOptions): Promise<PgliteEngine> {
  const unlock = options.folder === null ? null : lockFolder(options.folder);
  try {
    const thread = new EngineThread({
      folder: options.folder,
      dump: options.dump ?? null,
      limits: options.limits ?? sessionLimits,
    });
    await thread.hear('ready');
    thread.onDeath = options.onDeath ?? throwInProcess;
    const clientConfig = (): pg.ClientConfig => ({
      user: 'postgres',
      database: 'postgres',
      password: '',
      ssl: false,
      stream: () => thread.connect(),
    });
    const housekeeping =
      options.folder === null ? null : new Housekeeping(clientConfig, options.onFault ?? warn);
    return {
      kind: 'pglite',
      clientConfig,
      dump: async () => {
        thread.say({ kind: 'dump' });
        return (await thread.hear('dump')).bytes;
      },
      keepAlive: (isKept) => thread.keepAlive(isKept),
      close: async () => {
        await housekeeping?.stop();
        await thread.close();
        unlock?.();
      },
    };
  } catch (error) {
    unlock?.();
    throw error;
  }
}

class EngineThread {
  onDeath: (error: Error) => void = () => {
    // Until the engine is ready, whoever waits for it is told.
  };
  readonly #worker: Worker;
  #clients = 0;
  #cause: Error | null = null;
  #isClosing = false;

  constructor(start: WorkerStart) {
    this.#worker = new Worker(new URL('./pglite/worker.ts', import.meta.url), {
      workerData: start,
      // Not the process's own flags: some (`--input-type`) are refused to a worker with a file.
      execArgv: [],
    });
    this.#worker.on('error', (error: unknown) => this.#die(asError(error)));
    this.#worker.on('exit', (code) => this.#die(new Error(`its thread ended with code ${code}`)));
    this.#worker.on('message', (message: FromWorker) => {
      if (message.kind === 'fault') this.#die(new Error(message.reason));
    });
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
    return await new Promise((resolve, reject) => {
      const listen = (message: FromWorker): void => {
        if (!isOfKind(message, kind)) return;
        this.#worker.off('message', listen);
        this.#worker.off('exit', fail);
        resolve(message);
      };
      const fail = (): void => reject(this.#cause ?? new Error('the embedded database has ended'));
      this.#worker.on('message', listen);
      this.#worker.once('exit', fail);
      if (this.#cause !== null) fail();
    });
  }

  async close(): Promise<void> {
    if (this.#isClosing) return;
    this.#isClosing = true;
    const closed = this.hear('closed').catch(() => null);
    this.say({ kind: 'close' });
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
    });
    await Promise.race([closed, timeout]);
    clearTimeout(timer);
    await this.#worker.terminate();
  }

  #die(cause: Error): void {
    if (this.#isClosing || this.#cause !== null) return;
    this.#cause = cause;
    this.onDeath(new Error(`the embedded database has ended: ${cause.message}`, { cause }));
  }
}

function isOfKind<Kind extends FromWorker['kind']>(
  message: FromWorker,
  kind: Kind,
): message is FromWorker & { kind: Kind } {
  return message.kind === kind;
}

function throwInProcess(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}

function warn(error: Error): void {
  process.emitWarning(error);
}
