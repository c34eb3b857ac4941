import { type Clock, systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { migrate } from '../database/migrate.ts';
import { readSchemaVersion } from '../database/schema-version.ts';
import {
  hasNoDatabase,
  openConfiguredDatabase,
  type OpenedDatabase,
} from '../runtime/configured-database.ts';
import type { Command, CommandContext } from './command.ts';
import type { ErrorCode } from './output.ts';

type DeploymentNeeds = Pick<Command, 'skipsSchemaCheck' | 'createsDatabase'>;

/** The open database of a command, or why the command cannot use it. */
export type Deployment =
  | { readonly kind: 'open'; readonly store: OpenedDatabase; readonly context: CommandContext }
  | { readonly kind: 'unfit'; readonly code: ErrorCode; readonly reason: string };

/**
 * Opens the configured database and, unless `skipsSchemaCheck`, checks that its schema is the one
 * that this program expects. Creates the database only if `createsDatabase` is true.
 */
export async function openDeployment(
  config: Config,
  { skipsSchemaCheck = false, createsDatabase = false }: DeploymentNeeds,
  onFault: (error: Error) => void,
): Promise<Deployment> {
  const { store: location } = config;
  if (location.kind === 'packaged' && !createsDatabase && hasNoDatabase(location.folder)) {
    const reason =
      `there is no database in ${location.folder}: ` +
      'set DATA_DIR to the data folder of the service, or create a database with "cardport shop add"';
    return { kind: 'unfit', code: 'no_database', reason };
  }
  const store = await openConfiguredDatabase(config, onFault);
  try {
    // Commands do not migrate the operator's own server, because processes of the previous version
    // may still use it.
    if (config.store.kind === 'packaged' && !skipsSchemaCheck) await migrate(store.engine);
    const reason = skipsSchemaCheck ? null : await findSchemaProblem(store.db);
    if (reason !== null) {
      await store[Symbol.asyncDispose]();
      return { kind: 'unfit', code: 'other_schema', reason };
    }
    const { db, engine, secretKey } = store;
    const { publicUrl, restoredTokenDays } = config;
    // Reading the clock leaves an idle connection, which `restore` would refuse.
    const clock = skipsSchemaCheck ? systemClock : await readClock(db);
    const context = { db, engine, clock, publicUrl, secretKey, restoredTokenDays };
    return { kind: 'open', store, context };
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

/** The database's clock, read once: no command runs long enough for it to drift. */
async function readClock(db: Database): Promise<Clock> {
  const clock = new DatabaseClock({ log: silentLog() });
  await clock.read(db);
  return clock;
}

async function findSchemaProblem(db: Database): Promise<string | null> {
  const { database, program } = await readSchemaVersion(db);
  if (database === program) return null;
  return database < program
    ? `the database is at migration ${database}, this program needs ${program}: run cardport migrate`
    : `the database is at migration ${database}, this program knows only ${program}: use a newer version of Cardport`;
}
