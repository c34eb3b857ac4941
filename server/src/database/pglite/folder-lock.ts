import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FolderUnusable, makeFolder } from './folder.ts';

/** Another process has the data folder. Two on one folder lose rows silently, so the second must not start. */
export class FolderInUse extends Error {
  override name = 'FolderInUse';
  /** The process that has it, as far as it said so. */
  readonly pid: number | null;

  constructor(folder: string, pid: number | null) {
    const holder = pid === null ? 'another process' : `process ${pid}`;
    super(
      `the data folder ${folder} is in use by ${holder}: stop it first, or choose another DATA_DIR`,
    );
    this.pid = pid;
  }
}

/** Locks of this process: one that nobody holds would be given back by the garbage collector. */
const held = new Set<DatabaseSync>();

/**
 * Takes a folder for this process alone, until it is given back or the process ends in whatever way. The operating
 * system keeps the lock (SQLite's, on `lock`), so none is left over after a crash; `lock.pid` says who has it.
 *
 * @returns gives the folder back.
 * @throws FolderInUse when another process, or this one, has it already; FolderUnusable when it cannot be one.
 */
export function lockFolder(folder: string): () => void {
  makeFolder(folder);
  const pidFile = join(folder, 'lock.pid');
  const lock = openLock(folder);
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive');
  } catch (error) {
    lock.close();
    if (error instanceof Error && /locked|busy/.test(error.message)) {
      throw new FolderInUse(folder, readPid(pidFile));
    }
    throw error;
  }
  held.add(lock);
  writeFileSync(pidFile, `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(pidFile, { force: true });
    held.delete(lock);
    lock.close();
  };
}

function openLock(folder: string): DatabaseSync {
  try {
    return new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  } catch {
    throw new FolderUnusable(folder, 'this user cannot make files in it');
  }
}

function readPid(file: string): number | null {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
  } catch {
    // Its owner has not written it yet.
    return null;
  }
}
