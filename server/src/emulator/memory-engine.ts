import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import { type PgliteEngine, pgliteEngine } from '../database/pglite-engine.ts';

/** What is told of the engine, to whoever listens by then. */
export interface EngineNews {
  /** It has ended by itself: the process must end too. */
  onDeath: (error: Error) => void;
  /** A fault that no caller sees. */
  onFault: (error: Error) => void;
}

/**
 * A database in memory, which goes with its process. Constant credentials are written into nothing else: `seed` takes one of
 * these, and there is no other way to make one (decision 0150).
 */
export class MemoryEngine implements AsyncDisposable {
  readonly #engine: PgliteEngine;
  readonly #db: Database;

  private constructor(engine: PgliteEngine, db: Database) {
    this.#engine = engine;
    this.#db = db;
  }

  /**
   * Opens and migrates one in a thread of its own, which takes as long as the main thread takes to load the service: so it is
   * begun first.
   */
  static async open(news: EngineNews): Promise<MemoryEngine> {
    const onDeath = (error: Error): void => news.onDeath(error);
    const onFault = (error: Error): void => news.onFault(error);
    const engine = await pgliteEngine({ folder: null, onDeath, onFault });
    try {
      await migrate(engine);
    } catch (error) {
      await engine.close();
      throw error;
    }
    return new MemoryEngine(engine, openDatabase(engine, { onFault }));
  }

  get engine(): PgliteEngine {
    return this.#engine;
  }

  get db(): Database {
    return this.#db;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#db.close();
    await this.#engine.close();
  }
}
