import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../database/database.ts';
import type { Engine } from '../database/engine.ts';
import { migrate } from '../database/migrate.ts';
import { openDatabase } from '../database/open-database.ts';
import { openPackaged } from '../database/packaged/packaged-server.ts';

/**
 * A database in a temporary directory that is removed when the process ends. Constant credentials
 * are written only to such a database: `seed` requires an instance, and only `open` creates one
 * (decision 0150).
 */
export class TemporaryDatabase implements AsyncDisposable {
  readonly engine: Engine;
  readonly db: Database;
  /** The directory, which is removed with its contents when the process ends. */
  readonly folder: string;

  private constructor(engine: Engine, db: Database, folder: string) {
    this.engine = engine;
    this.db = db;
    this.folder = folder;
  }

  /** Call it early: the server starts while this process loads code. */
  static async open(onFault: (error: Error) => void): Promise<TemporaryDatabase> {
    const folder = mkdtempSync(join(tmpdir(), 'cardport-emulator-'));
    // A reset restores rows without foreign key triggers, which requires a superuser.
    const engine = await openPackaged({ folder, isTemporary: true, isSuperuser: true, onFault });
    try {
      await migrate(engine);
    } catch (error) {
      await engine.close();
      throw error;
    }
    return new TemporaryDatabase(engine, openDatabase(engine, { onFault }), folder);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.db.close();
    await this.engine.close();
  }
}
