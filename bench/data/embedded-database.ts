import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../server/src/database/database.ts';
import { migrate } from '../../server/src/database/migrate.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { pgliteEngine } from '../../server/src/database/pglite-engine.ts';

/** A folder of the embedded engine that nobody has open; removed at the end. */
export interface EmbeddedDatabase<T> extends Disposable {
  readonly folder: string;
  readonly data: T;
}

/** Makes and fills a folder of the embedded engine, for a service that is started on it afterwards. */
export async function makeEmbedded<T>(
  fill: (db: Database) => Promise<T>,
): Promise<EmbeddedDatabase<T>> {
  const folder = mkdtempSync(join(tmpdir(), 'cardport-bench-'));
  const engine = await pgliteEngine({ folder });
  try {
    await migrate(engine);
    const db = openDatabase(engine, { onFault: (error) => console.error(error) });
    try {
      const data = await fill(db);
      return { folder, data, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
    } finally {
      await db.close();
    }
  } finally {
    await engine.close();
  }
}
