// Copies the embedded database into an empty PostgreSQL: `DATA_DIR=… DATABASE_URL=… node scripts/move-to-postgresql.ts`. Stop
// the service first (docs/scaling.md tells the whole way); the folder is only read.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pgliteEngine } from '../server/src/database/pglite-engine.ts';
import { migrate } from '../server/src/database/migrate.ts';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { analyzeDatabase, copyDatabase, UnknownCommit } from './copy-database.ts';

const { DATA_DIR: folder, DATABASE_URL: url } = process.env;
if (folder === undefined || url === undefined) {
  console.error('DATA_DIR (from) and DATABASE_URL (to) are needed');
  process.exit(2);
}
try {
  await move(folder, url);
} catch (error) {
  const known =
    error instanceof UnknownCommit ? 'Look whether the target holds data' : 'Nothing was copied';
  console.error(`${known}: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

async function move(from: string, to: string): Promise<void> {
  // The engine would make a folder that is not there: a slip of the pen would be an empty source.
  if (!existsSync(join(from, 'cluster'))) throw new Error(`DATA_DIR ${from} holds no database`);
  await using stack = new AsyncDisposableStack();
  const source = stack.adopt(await pgliteEngine({ folder: from }), async (engine) => {
    await engine.close();
  });
  const target = stack.adopt(postgresqlEngine(to), async (engine) => await engine.close());
  await migrate(source);
  await migrate(target);
  await copyDatabase(source, target, ({ table, rows }) => console.log(`${table}: ${rows}`));
  console.log(
    `Copied. Start the service with DATABASE_URL, and with SECRET_KEY from ${from}/secret-key.`,
  );
  try {
    await analyzeDatabase(target);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`Only ANALYZE failed (${reason}): run it in the target by hand.`);
  }
}
