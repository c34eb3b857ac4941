import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../base/describe-error.ts';
import type { Config, DatabaseLocation } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Engine } from '../database/engine.ts';
import { openDatabase } from '../database/open-database.ts';
import { findFolderRisk, FolderNotice, makeFolder, syncFolder } from '../database/data-folder.ts';
import { openPackaged } from '../database/packaged/packaged-server.ts';
import { postgresqlEngine } from '../database/postgresql-engine.ts';

export interface OpenedDatabase extends AsyncDisposable {
  readonly engine: Engine;
  readonly db: Database;
  readonly secretKey: string;
}

/** The length of a generated secret key. The keys derived from it have the same length. */
const SECRET_KEY_BYTES = 32;

export const CLUSTER_FOLDER = 'postgresql';
export const SECRET_KEY_FILE = 'secret-key';

/** Returns true if `DATA_DIR` has no database yet, so that opening it would create one. */
export function hasNoDatabase(folder: string): boolean {
  return !existsSync(join(folder, CLUSTER_FOLDER, 'data'));
}

/**
 * Opens the configured database without migrating it.
 *
 * @param onFault called with faults that cannot be thrown to a caller
 * @param onDiskFull called for each write that is refused because the database's disk is full
 * @throws FolderUnusable or ClusterUnusable if DATA_DIR cannot hold a database;
 *   NoPackagedPostgresql if there is no packaged PostgreSQL for this platform
 */
export async function openConfiguredDatabase(
  { store, folder, secretKey, databaseConnectionsMax: poolClientsMax }: Config,
  onFault: (error: Error) => void,
  onDiskFull?: (error: Error) => void,
): Promise<OpenedDatabase> {
  const options = { onFault, poolClientsMax, ...(onDiskFull === undefined ? {} : { onDiskFull }) };
  if (store.kind === 'packaged') makeFolder(folder);
  const risk = findFolderRisk(folder);
  if (risk !== null) onFault(new FolderNotice(risk));
  if (store.kind === 'postgresql') {
    if (secretKey === null) throw new Error('SECRET_KEY is required when DATABASE_URL is set');
    const engine = await openEngine(store, onFault);
    const db = openDatabase(engine, options);
    return toDisposable({ engine, db, secretKey: secretKey.reveal() });
  }
  const engine = await openEngine(store, onFault);
  try {
    const storedKey = secretKey?.reveal() ?? loadOrCreateSecretKey(join(folder, SECRET_KEY_FILE));
    const db = openDatabase(engine, options);
    return toDisposable({ engine, db, secretKey: storedKey });
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Creates the cluster of the packaged PostgreSQL and starts its server if necessary. */
export async function openEngine(
  store: DatabaseLocation,
  onFault: (error: Error) => void,
): Promise<Engine> {
  if (store.kind === 'postgresql') return postgresqlEngine(store.url.reveal());
  return await openPackaged({ folder: join(store.folder, CLUSTER_FOLDER), onFault });
}

function toDisposable(database: Omit<OpenedDatabase, typeof Symbol.asyncDispose>): OpenedDatabase {
  return {
    ...database,
    [Symbol.asyncDispose]: async () => {
      await database.db.close();
      await database.engine.close();
    },
  };
}

function loadOrCreateSecretKey(file: string): string {
  const existing = readSecretKey(file);
  if (existing !== null) return existing;
  const unfinished = `${file}.${randomBytes(8).toString('hex')}`;
  const generated = randomBytes(SECRET_KEY_BYTES).toString('base64url');
  writeFileSync(unfinished, `${generated}\n`, { mode: 0o600, flush: true, flag: 'wx' });
  try {
    // Unlike a rename, a link fails if another process has already written the key.
    linkSync(unfinished, file);
    syncFolder(dirname(file));
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished);
  }
  return readSecretKey(file) ?? generated;
}

function readSecretKey(file: string): string | null {
  try {
    const content = readFileSync(file, 'utf8').trim();
    if (content === '') {
      throw new Error(`${file} is empty: write the secret key of this DATA_DIR back into it`);
    }
    return content;
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
