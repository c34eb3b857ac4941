import { spawnSync } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCodeOf } from '../../base/describe-error.ts';

const NAME = 'users';

/**
 * A named pipe that shows whether the cluster is in use. Every process that uses the cluster holds
 * it open for writing, so a reader sees end of file once the last of them has ended or crashed.
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
      // End of file: no process has the pipe open for writing. EAGAIN: one has, but wrote nothing.
      return readSync(reader, Buffer.alloc(1)) !== 0;
    } catch (error) {
      return errorCodeOf(error) === 'EAGAIN';
    } finally {
      if (reader !== undefined) closeSync(reader);
    }
  }
}

// Opens the pipe for reading too, because opening it only for writing fails while it has no reader.
function openOrCreate(path: string): number {
  const opened = tryOpen(path);
  if (opened !== null) return opened;
  const result = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' });
  // Another process may have created the pipe first.
  const again = tryOpen(path);
  if (again !== null) return again;
  throw result.error ?? new Error(result.stderr.trim());
}

// Returns null if there is no pipe. Deletes a plain file that a copying tool wrote instead of it.
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
