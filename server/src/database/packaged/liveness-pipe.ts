import { spawnSync } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodeOf } from '../../base/describe-error.ts';

const NAME = 'users';

/**
 * A named pipe in the cluster's folder. Every process that uses the cluster holds it open for
 * writing, so a reader sees the end of the file once the last of them has ended, even by a crash.
 */
export class LivenessPipe {
  readonly #path: string;
  readonly #writer: number;

  /** @throws Error when the pipe cannot be created or opened. */
  constructor(folder: string) {
    this.#path = join(folder, NAME);
    this.#writer = openOrCreate(this.#path);
  }

  openReader(): number {
    return openSync(this.#path, constants.O_RDONLY);
  }

  close(): void {
    closeSync(this.#writer);
  }

  static isUsed(folder: string): boolean {
    let reader;
    try {
      reader = openSync(join(folder, NAME), constants.O_RDONLY | constants.O_NONBLOCK);
      // End of file means no writer; with a writer but no data, the read would block.
      return readSync(reader, Buffer.alloc(1)) !== 0;
    } catch (error) {
      return errorCodeOf(error) === 'EAGAIN';
    } finally {
      if (reader !== undefined) closeSync(reader);
    }
  }
}

/** For reading and writing: opening it for writing only fails while it has no reader. */
function openOrCreate(path: string): number {
  const opened = tryOpen(path);
  if (opened !== null) return opened;
  const result = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' });
  // If mkfifo failed, another process may have created the pipe first.
  const again = tryOpen(path);
  if (again !== null) return again;
  throw result.error ?? new Error(result.stderr.trim());
}

/** Null for no pipe. A plain file, such as a copying tool leaves, is deleted. */
function tryOpen(path: string): number | null {
  let descriptor;
  try {
    descriptor = openSync(path, constants.O_RDWR);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return null;
    throw error;
  }
  if (fstatSync(descriptor).isFIFO()) return descriptor;
  closeSync(descriptor);
  rmSync(path);
  return null;
}
