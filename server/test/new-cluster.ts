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
import { CLUSTER_FOLDER } from '../src/runtime/configured-database.ts';
import { temporaryFolder } from './cardport.ts';

/** The clusters that this process is creating, by folder. */
const making = new Map<string, Promise<void>>();

/**
 * Creates a migrated cluster in a folder, as the service does. A test run creates one cluster and
 * copies it, because `initdb` takes a second of CPU.
 */
export async function copyMigratedCluster(folder: string): Promise<void> {
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

/** Creates a cluster for a temporary server, without durability and with an empty database. */
export async function copyEmptyCluster(folder: string, binaries: Binaries): Promise<void> {
  await putCopy(folder, `temporary-${encodeURIComponent(binaries.folder)}`, async (made) => {
    await prepareCluster(made, binaries, false);
  });
}

/** Creates a `DATA_DIR` that contains a migrated cluster. Disposing removes the folder. */
export async function temporaryDataFolder(): Promise<{ readonly path: string } & Disposable> {
  const folder = temporaryFolder();
  try {
    await copyMigratedCluster(join(folder.path, CLUSTER_FOLDER));
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
  // All tests of a run share the cluster, which is removed with the run's temporary folder.
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
    // The error does not matter if another process has created the cluster.
    if (!existsSync(made)) throw error;
  }
}
