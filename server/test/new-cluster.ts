import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../src/database/data-folder.ts';
import { migrate } from '../src/database/migrate.ts';
import { type Binaries, findPackagedBinaries } from '../src/database/packaged/binaries.ts';
import { prepareCluster } from '../src/database/packaged/cluster.ts';
import { openPackaged } from '../src/database/packaged/packaged-server.ts';
import { CLUSTER_FOLDER } from '../src/store.ts';
import { temporaryFolder } from './cardport.ts';

/** Clusters that this process makes, by their folders. */
const making = new Map<string, Promise<void>>();

/**
 * Puts a new cluster into a folder, as the service makes one; its database is migrated. `initdb` takes a second of CPU, so a
 * run of tests makes one cluster and copies it.
 */
export async function putCluster(folder: string): Promise<void> {
  const binaries = findPackagedBinaries();
  await putCopy(folder, 'packaged', async (made) => {
    await prepareCluster(made, binaries, true);
    const server = await openPackaged({ folder: made });
    try {
      await migrate(server);
    } finally {
      await server.close();
    }
  });
}

/** The same for a throw-away server, which has no durability and an empty database. */
export async function putTemporaryCluster(folder: string, binaries: Binaries): Promise<void> {
  await putCopy(folder, `temporary-${encodeURIComponent(binaries.folder)}`, async (made) => {
    await prepareCluster(made, binaries, false);
  });
}

/** A `DATA_DIR` with such a cluster. It goes away with its test. */
export async function temporaryDataFolder(): Promise<{ readonly path: string } & Disposable> {
  const folder = temporaryFolder();
  try {
    await putCluster(join(folder.path, CLUSTER_FOLDER));
    return folder;
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}

async function putCopy(
  folder: string,
  name: string,
  make: (folder: string) => Promise<void>,
): Promise<void> {
  // Of the whole run: the folder for temporary files ends with it.
  const made = join(tmpdir(), `cluster-${name}`);
  if (!making.has(made)) making.set(made, makeOnce(made, make));
  await making.get(made);
  makeFolder(folder);
  await promisify(execFile)('cp', ['-a', join(made, 'data'), folder]);
}

async function makeOnce(made: string, make: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(made)) return;
  const unfinished = mkdtempSync(`${made}-`);
  try {
    await make(unfinished);
    renameSync(unfinished, made);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process may have made it meanwhile.
    if (!existsSync(made)) throw error;
  }
}
