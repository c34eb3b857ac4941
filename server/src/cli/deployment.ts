import { setTimeout as wait } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { systemClock } from '../base/clock.ts';
import type { Config } from '../config.ts';
import type { Database } from '../database/database.ts';
import { migrate } from '../database/migrate.ts';
import { FolderInUse } from '../database/pglite-engine.ts';
import { readSchemaVersion } from '../database/schema-version.ts';
import { openStore, type OpenStore } from '../store.ts';
import type { CommandContext } from './command.ts';
import { connectToService } from './control-client.ts';

/** Where a command runs: in this process, or in the service that holds the embedded folder. */
export type Deployment =
  | { readonly kind: 'here'; readonly store: OpenStore; readonly context: CommandContext }
  | { readonly kind: 'service'; readonly socket: Socket }
  | { readonly kind: 'unfit'; readonly reason: string };

/** A service that starts, or another command, holds the folder for some seconds before it can be spoken to. */
const FOLDER_WAIT_MS = 15_000;
const FOLDER_TRY_MS = 100;

/** Finds the service that holds the embedded folder, or opens the database in this process. */
export async function openDeployment(
  config: Config,
  onFault: (error: Error) => void,
): Promise<Deployment> {
  const { store } = config;
  const deadline = performance.now() + FOLDER_WAIT_MS;
  for (;;) {
    const socket = store.kind === 'embedded' ? await connectToService(store.folder) : null;
    if (socket !== null) return { kind: 'service', socket };
    try {
      return await openHere(config, onFault);
    } catch (error) {
      if (!(error instanceof FolderInUse)) throw error;
      if (performance.now() > deadline) return { kind: 'unfit', reason: error.message };
    }
    await wait(FOLDER_TRY_MS);
  }
}

async function openHere(config: Config, onFault: (error: Error) => void): Promise<Deployment> {
  const store = await openStore(config, { onFault, onDeath: onFault });
  try {
    // The folder is this program's alone; a PostgreSQL database may serve processes of the version before.
    if (config.store.kind === 'embedded') await migrate(store.engine);
    const reason = await findSchemaFault(store.db);
    if (reason !== null) {
      await store[Symbol.asyncDispose]();
      return { kind: 'unfit', reason };
    }
    const { db, secretKey } = store;
    const context = { db, clock: systemClock, publicUrl: config.publicUrl, secretKey };
    return { kind: 'here', store, context };
  } catch (error) {
    await store[Symbol.asyncDispose]();
    throw error;
  }
}

async function findSchemaFault(db: Database): Promise<string | null> {
  const { database, program } = await readSchemaVersion(db);
  if (database === program) return null;
  return database < program
    ? `the database is at migration ${database}, this program needs ${program}: run cardport migrate`
    : `the database is at migration ${database}, this program knows ${program}: use the newer program`;
}
