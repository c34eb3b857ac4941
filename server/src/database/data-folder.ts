import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCodeOf, describeError } from '../base/describe-error.ts';

export class FolderUnusable extends Error {
  override name = 'FolderUnusable';

  constructor(folder: string, reason: string) {
    super(`DATA_DIR ${folder} cannot be used: ${reason}`);
  }
}

/** Something about DATA_DIR that the operator should know. */
export class FolderNotice extends Error {
  override name = 'FolderNotice';
}

// A path with more missing folders is probably a typo.
const CREATED_LEVELS_MAX = 16;

/**
 * Creates a folder (mode 0700) and its missing parents. It creates one level at a time, because
 * Node's recursive mkdir never ends where mkdir reports an existing folder as missing (`/proc`).
 * @throws FolderUnusable when the path is not a folder, or the folder cannot be created.
 */
export function makeFolder(folder: string): void {
  const missing: string[] = [];
  let level = resolve(folder);
  while (!isFolder(folder, level)) {
    if (missing.length === CREATED_LEVELS_MAX) {
      const reason = `more than ${CREATED_LEVELS_MAX} of its parent folders are missing`;
      throw new FolderUnusable(folder, reason);
    }
    missing.push(level);
    level = dirname(level);
  }
  for (const path of missing.toReversed()) {
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another process may have created the folder after the check.
      if (errorCodeOf(error) === 'EEXIST' && isFolder(folder, path)) continue;
      throw new FolderUnusable(folder, `${path} cannot be created: ${reasonOf(error)}`);
    }
  }
}

function isFolder(folder: string, path: string): boolean {
  let stats;
  try {
    stats = statSync(path);
  } catch (error) {
    // ENOTDIR means that a parent is a file, which is reported when the loop reaches that parent.
    if (['ENOENT', 'ENOTDIR'].includes(errorCodeOf(error))) return false;
    throw new FolderUnusable(folder, `${path} cannot be accessed: ${reasonOf(error)}`);
  }
  if (!stats.isDirectory()) throw new FolderUnusable(folder, `${path} is a file, not a folder`);
  return true;
}

/** What the service reads from the folder, and what it might write through as a link. */
const ENTRIES = ['secret-key', 'postgresql', 'photos', 'mail', 'demo.json', 'demo.json.new'];

/**
 * Returns what others can do to the folder, or null. A folder that its group may write to is not
 * refused, because Kubernetes mounts volumes like that (`fsGroup`).
 * @throws FolderUnusable when other users can write, or may have written, to the folder
 */
export function findFolderRisk(folder: string): string | null {
  const found = statSync(folder, { throwIfNoEntry: false });
  const self = process.getuid?.();
  if (found === undefined || self === undefined) return null;
  const { uid, gid, mode } = found;
  const trusted = self === 0 ? [0, uid] : [0, self];
  if (!trusted.includes(uid)) {
    throw new FolderUnusable(folder, 'it belongs to another user: make this user its owner');
  }
  if ((mode & 0o002) !== 0) {
    const remedy = 'check what is in it, and run "chmod o-w" on it';
    throw new FolderUnusable(folder, `all users may write to it: ${remedy}`);
  }
  for (const name of ENTRIES) {
    const entry = lstatSync(join(folder, name), { throwIfNoEntry: false });
    if (entry === undefined || trusted.includes(entry.uid)) continue;
    const remedy = 'remove it, or make this user its owner';
    throw new FolderUnusable(folder, `${name} belongs to another user: ${remedy}`);
  }
  if ((mode & 0o020) !== 0) return `the group ${gid} may write to DATA_DIR ${folder}`;
  return uid === self || uid === 0 ? null : `DATA_DIR ${folder} belongs to the user id ${uid}`;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'the path is a broken symbolic link',
  ELOOP: 'the symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'the system does not support folders there',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
};

function reasonOf(error: unknown): string {
  return REASONS[errorCodeOf(error)] ?? describeError(error);
}

/** Flushes the file names in a folder to disk, so that they survive a power failure. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
