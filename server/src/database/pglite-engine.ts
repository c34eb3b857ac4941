import type pg from 'pg';
import type { Engine } from './engine.ts';
import { EngineThread } from './pglite/engine-thread.ts';
import { Housekeeping } from './pglite/housekeeping.ts';
import { lockFolder } from './pglite/folder-lock.ts';
import { type SessionLimits, sessionLimits } from './pglite/session.ts';

export { FolderInUse } from './pglite/folder-lock.ts';
export { FolderUnusable } from './pglite/folder.ts';

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
    await thread.open();
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

function throwInProcess(error: Error): void {
  setImmediate(() => {
    throw error;
  });
}

function warn(error: Error): void {
  process.emitWarning(error);
}
