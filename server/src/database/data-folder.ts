import { closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { codeOf, wordsOf } from '../base/error-words.ts';

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

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not',
  EPERM: 'this user may not',
  EEXIST: 'it is a link that leads nowhere',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
  ENOENT: 'the system has no folders there',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
};

function reasonOf(error: unknown): string {
  return REASONS[codeOf(error)] ?? wordsOf(error);
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
