// Copies the embedded database into an empty PostgreSQL: `DATA_DIR=… DATABASE_URL=… node scripts/move-to-postgresql.ts`. Stop
// the service first (docs/scaling.md tells the whole way); the folder is only read.
import { pgliteEngine } from '../server/src/database/pglite-engine.ts';
import { migrate } from '../server/src/database/migrate.ts';
import { postgresqlEngine } from '../server/src/database/postgresql-engine.ts';
import { copyDatabase } from './copy-database.ts';

const { DATA_DIR: folder, DATABASE_URL: url } = process.env;
if (folder === undefined || url === undefined) {
  console.error('DATA_DIR (from) and DATABASE_URL (to) are needed');
  process.exit(2);
}
const source = await pgliteEngine({ folder });
const target = postgresqlEngine(url);
try {
  await migrate(source);
  await migrate(target);
  await copyDatabase(source, target, ({ table, rows }) => console.log(`${table}: ${rows}`));
  console.log(
    `Copied. Start the service with DATABASE_URL, and with SECRET_KEY from ${folder}/secret-key.`,
  );
} catch (error) {
  console.error(error instanceof Error ? `Nothing was copied: ${error.message}` : error);
  process.exitCode = 1;
} finally {
  await source.close();
  await target.close();
}
