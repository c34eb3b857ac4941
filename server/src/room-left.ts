import { statfsSync } from 'node:fs';
import type { Config } from './config.ts';
import type { OutageLog } from './database/outage-log.ts';
import type { Metrics } from './http/metrics.ts';

/** PostgreSQL takes a segment of its log (16 MB) at a time; some of them are what an hour's writes of a shop need. */
const FREE_BYTES_MIN = 100_000_000;

interface WatchedFolder {
  readonly folder: 'data' | 'photos';
  readonly path: string;
}

function foldersOf({ store, photoStore }: Config): readonly WatchedFolder[] {
  return [
    ...(store.kind === 'packaged' ? [{ folder: 'data' as const, path: store.folder }] : []),
    ...(photoStore.kind === 'folder' ? [{ folder: 'photos' as const, path: photoStore.path }] : []),
  ];
}

/** What is wrong with the room on the disks, in sentences; none when all is well. */
export function findRoomFaults(config: Config, outages: OutageLog): readonly string[] {
  const full = outages.isDiskFull
    ? ['no space left where the database is: writes are refused']
    : [];
  const names = { data: 'DATA_DIR', photos: 'PHOTO_STORE' };
  const scarce = foldersOf(config)
    .map(({ folder, path }) => ({ name: names[folder], bytes: freeBytesOf(path) }))
    .filter(({ bytes }) => bytes < FREE_BYTES_MIN)
    .map(({ name, bytes }) => `only ${Math.floor(bytes / 1_000_000)} MB are free in ${name}`);
  return [...full, ...scarce];
}

/** Shows the room that is left where the process keeps files. */
export function addFolderGauge(metrics: Metrics, config: Config): void {
  const folders = foldersOf(config);
  const help =
    'Bytes that may still be written into the file system of a folder: DATA_DIR, PHOTO_STORE.';
  metrics.addLabelledGauge('cardport_folder_free_bytes', help, ['folder'], () =>
    folders.map(({ folder, path }) => ({ labels: { folder }, value: freeBytesOf(path) })),
  );
}

/** Bytes that this user may still write there; `NaN` when the folder cannot be looked at. */
function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.NaN;
  }
}
