import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The data folder cannot be one; `message` names it, the setting and the reason. */
export class FolderUnusable extends Error {
  override name = 'FolderUnusable';

  constructor(folder: string, reason: string) {
    super(`DATA_DIR ${folder} cannot be used: ${reason}`);
  }
}

/** Levels that are made where none is; a deeper path is a slip. */
const LEVELS_MADE_MAX = 16;

/**
 * Makes a folder (mode 0700) with the levels above it that are missing. Level by level, because Node's recursive mkdir
 * never ends where the system answers that a folder just looked at is not there (`/proc`).
 *
 * @throws FolderUnusable when there is something else, or none can be made.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  let level = resolve(folder);
  while (!isFolder(folder, level)) {
    if (missing.length === LEVELS_MADE_MAX) {
      const reason = `more than ${LEVELS_MADE_MAX} levels of it are missing`;
      throw new FolderUnusable(folder, reason);
    }
    missing.push(level);
    level = dirname(level);
  }
  for (const path of missing.toReversed()) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another process may have made it meanwhile.
      if (codeOf(error) === 'EEXIST' && isFolder(folder, path)) continue;
      throw new FolderUnusable(folder, `${path} cannot be made: ${reasonOf(error)}`);
    }
  }
}

/** False when there is nothing at `path`. */
function isFolder(folder: string, path: string): boolean {
  let found;
  try {
    found = statSync(path);
  } catch (error) {
    // ENOTDIR: some level above is a file, which is told when it is reached.
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return false;
    throw new FolderUnusable(folder, `${path} cannot be looked at: ${reasonOf(error)}`);
  }
  if (!found.isDirectory()) throw new FolderUnusable(folder, `${path} is a file, not a folder`);
  return true;
}

function reasonOf(error: unknown): string {
  switch (codeOf(error)) {
    case 'EACCES':
    case 'EPERM':
      return 'this user may not';
    case 'EEXIST':
      return 'it is a link that leads nowhere';
    case 'ELOOP':
      return 'its links lead in a circle';
    case 'ENAMETOOLONG':
      return 'its name is too long';
    case 'ENOENT':
      return 'the system has no folders there';
    case 'ENOSPC':
      return 'the disk is full';
    case 'EROFS':
      return 'the disk is read-only';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Makes the names of the files in a folder survive a power cut. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
