import { migrate } from '../database/migrate.ts';
import { type PgliteEngine, pgliteEngine } from '../database/pglite-engine.ts';

/** An empty database in memory, migrated: the only kind that is ever seeded. */
export interface MemoryEngine extends AsyncDisposable {
  readonly engine: PgliteEngine;
}

/** What is told of the engine later than it is opened. */
export interface EngineNews {
  /** It has ended by itself: the process must end too. */
  onDeath: (error: Error) => void;
}

/**
 * Opens and migrates one in a thread of its own, which takes as long as the main thread takes to load the service: so it is
 * begun first.
 */
export async function openMemoryEngine(news: EngineNews): Promise<MemoryEngine> {
  const engine = await pgliteEngine({ folder: null, onDeath: (error) => news.onDeath(error) });
  try {
    await migrate(engine);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return { engine, [Symbol.asyncDispose]: async () => await engine.close() };
}
