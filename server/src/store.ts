import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { Database } from './database/database.ts';
import type { Engine } from './database/engine.ts';
import { openDatabase } from './database/open-database.ts';
import { pgliteEngine } from './database/pglite-engine.ts';
import { postgresqlEngine } from './database/postgresql-engine.ts';

/** The database of a deployment, open, and the secret that belongs to it. */
export interface OpenStore extends AsyncDisposable {
  readonly engine: Engine;
  readonly db: Database;
  readonly secretKey: string;
}

export interface OpenStoreOptions {
  /** Told of faults that no caller sees. */
  readonly onFault: (error: Error) => void;
  /** The embedded engine has ended by itself: the process must end too. */
  readonly onDeath: (error: Error) => void;
}

/** Random bytes of a secret key that is made here; as many as its keys have (HKDF-SHA256). */
const SECRET_KEY_BYTES = 32;

/**
 * Opens the database that the settings name; the embedded one is taken for this process alone. The schema is left as it
 * is.
 *
 * @throws FolderInUse when another process has the embedded folder; FolderUnusable when it cannot be one.
 */
export async function openStore(
  { store, secretKey, databaseConnectionsMax }: Config,
  { onFault, onDeath }: OpenStoreOptions,
): Promise<OpenStore> {
  if (store.kind === 'postgresql') {
    if (secretKey === null) throw new Error('SECRET_KEY is required with DATABASE_URL');
    const engine = postgresqlEngine(store.url.reveal());
    const db = openDatabase(engine, { onFault, poolClientsMax: databaseConnectionsMax });
    return close({ engine, db, secretKey: secretKey.reveal() });
  }
  const engine = await pgliteEngine({ folder: store.folder, onDeath, onFault });
  try {
    // After the folder's lock: two processes must not make two keys.
    const kept = secretKey?.reveal() ?? keepSecretKey(join(store.folder, 'secret-key'));
    return close({ engine, db: openDatabase(engine, { onFault }), secretKey: kept });
  } catch (error) {
    // Its thread would keep the process alive, and the folder locked.
    await engine.close();
    throw error;
  }
}

function close(store: Omit<OpenStore, typeof Symbol.asyncDispose>): OpenStore {
  return {
    ...store,
    [Symbol.asyncDispose]: async () => {
      await store.db.close();
      await store.engine.close();
    },
  };
}

/** The key that is kept in a file; made when there is none, whole and on disk or not at all. */
function keepSecretKey(file: string): string {
  try {
    const kept = readFileSync(file, 'utf8').trim();
    if (kept === '') throw new Error(`${file} is empty: put the key of this folder back into it`);
    return kept;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  const made = randomBytes(SECRET_KEY_BYTES).toString('base64url');
  const unfinished = openSync(`${file}.new`, 'w', 0o600);
  writeSync(unfinished, `${made}\n`);
  fsyncSync(unfinished);
  closeSync(unfinished);
  renameSync(`${file}.new`, file);
  return made;
}
