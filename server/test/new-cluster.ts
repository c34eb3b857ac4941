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

/** Clusters that this process is creating, by folder. */
const making = new Map<string, Promise<void>>();

/**
 * Creates a migrated cluster in a folder, as the service does. `initdb` takes a second of CPU, so a
 * test run creates one cluster and copies it.
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

/** The same for a temporary server without durability and with an empty database. */
export async function putTemporaryCluster(folder: string, binaries: Binaries): Promise<void> {
  await putCopy(folder, `temporary-${encodeURIComponent(binaries.folder)}`, async (made) => {
    await prepareCluster(made, binaries, false);
  });
}

/** A `DATA_DIR` with such a cluster. It is removed after its test. */
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
  // Shared by the whole run, and removed with the run's temporary folder.
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
    // Another process may have created it in the meantime.
    if (!existsSync(made)) throw error;
  }
}
