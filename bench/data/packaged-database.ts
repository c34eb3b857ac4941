import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from '../../server/src/database/database.ts';
import type { Engine } from '../../server/src/database/engine.ts';
import { migrate } from '../../server/src/database/migrate.ts';
import { openDatabase } from '../../server/src/database/open-database.ts';
import { openPackaged } from '../../server/src/database/packaged/packaged-server.ts';
import { CLUSTER_FOLDER } from '../../server/src/runtime/configured-database.ts';

/** A folder with a stopped packaged PostgreSQL. Disposing removes the folder. */
export interface PackagedDatabase<T> extends Disposable {
  readonly folder: string;
  readonly data: T;
}

/** Creates and fills a data folder for a service that the caller starts later. */
export async function makePackagedDatabase<T>(
  fill: (db: Database) => Promise<T>,
): Promise<PackagedDatabase<T>> {
  const folder = mkdtempSync(join(tmpdir(), 'cardport-bench-'));
  const cluster = join(folder, CLUSTER_FOLDER);
  // Copying units without the triggers needs a superuser. The packaged cluster does not let
  // superusers log in, so replace its rules.
  const settings = { hba_file: join(folder, 'hba.conf') };
  writeFileSync(settings.hba_file, 'local all all trust\n');
  const close = async (each: Engine | Database): Promise<void> => await each.close();
  await using stack = new AsyncDisposableStack();
  await migrate(stack.adopt(await openPackaged({ folder: cluster, settings }), close));
  const options = { folder: cluster, settings, isSuperuser: true };
  const engine = stack.adopt(await openPackaged(options), close);
  const db = openDatabase(engine, { onFault: (error) => console.error(error) });
  const data = await fill(stack.adopt(db, close));
  return { folder, data, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
