import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { constants, zstdDecompressSync } from 'node:zlib';

/**
 * A new, empty cluster as PGlite's initdb leaves it, packed by `scripts/pack-cluster.ts`. Running initdb itself takes
 * 3 to 5 s and 1.2 GB once per folder; unpacking takes a tenth of both (decision 0010).
 */
const emptyCluster = new URL('./empty-cluster.tar.zst', import.meta.url);

/** The version of PostgreSQL inside PGlite 0.5; another one cannot read the folder. */
const POSTGRESQL_MAJOR = '18';
/** Unpacked size, at most: the pack holds 25 MB. */
const CLUSTER_BYTES_MAX = 128 * 1024 * 1024;
const TAR_BLOCK_BYTES = 512;
/** Files synced at once. One after the other takes twice as long on an idle disk, and minutes on a busy one. */
const SYNCS_AT_ONCE = 16;

/** The tar of an empty cluster. */
export function readEmptyCluster(): Buffer {
  return zstdDecompressSync(readFileSync(emptyCluster), {
    maxOutputLength: CLUSTER_BYTES_MAX,
    params: { [constants.ZSTD_d_windowLogMax]: 27 },
  });
}

/**
 * Makes the cluster in `folder` unless one is there: whole and on disk, or not at all, whenever the power goes.
 *
 * @returns the cluster's own folder.
 */
export async function makeCluster(folder: string): Promise<string> {
  const cluster = join(folder, 'cluster');
  if (!existsSync(cluster)) {
    const unfinished = join(folder, 'cluster.new');
    rmSync(unfinished, { recursive: true, force: true });
    await syncAll(unpack(readEmptyCluster(), unfinished));
    renameSync(unfinished, cluster);
    await syncAll([folder]);
  }
  const major = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (major !== POSTGRESQL_MAJOR) {
    throw new Error(
      `${cluster} was made by PostgreSQL ${major}, this program brings ${POSTGRESQL_MAJOR}: start the program that made it`,
    );
  }
  return cluster;
}

/** Returns the paths of all files and folders that were made. */
function unpack(tar: Buffer, target: string): readonly string[] {
  const written = new Set<string>([target]);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  for (let at = 0; at + TAR_BLOCK_BYTES <= tar.length && tar[at] !== 0;) {
    const path = join(target, field(tar, at, 100));
    const bytes = Number.parseInt(field(tar, at + 124, 12), 8);
    const isFolder = field(tar, at + 156, 1) === '5';
    at += TAR_BLOCK_BYTES;
    if (isFolder) {
      mkdirSync(path, { recursive: true, mode: 0o700 });
    } else {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, tar.subarray(at, at + bytes), { mode: 0o600 });
      at += Math.ceil(bytes / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
    }
    written.add(path).add(dirname(path));
  }
  return [...written];
}

/** A text field of a tar header ends at its first NUL. */
function field(tar: Buffer, at: number, bytes: number): string {
  const end = tar.subarray(at, at + bytes).indexOf(0);
  return tar.toString('latin1', at, at + (end < 0 ? bytes : end));
}

async function syncAll(paths: readonly string[]): Promise<void> {
  const waiting = [...paths];
  const syncNext = async (): Promise<void> => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      await using file = await open(path);
      await file.sync();
    }
  };
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, syncNext));
}
