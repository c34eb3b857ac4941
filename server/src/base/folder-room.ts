import { statfsSync } from 'node:fs';

/** Bytes that this user may still write into the file system of a folder; `NaN` when the folder cannot be looked at. */
export function freeBytesOf(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.NaN;
  }
}
