import { spawnSync } from 'node:child_process';
import { closeSync, constants, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../base/error-words.ts';

const NAME = 'users';

/**
 * A named pipe in the cluster's folder. Every process that uses the cluster holds it open for writing, so the kernel knows when
 * the last of them has ended, in whatever way it ended.
 */
export class LivenessPipe {
  readonly #path: string;
  readonly #writer: number;

  /** @throws Error when the pipe cannot be made or opened. */
  constructor(folder: string) {
    this.#path = join(folder, NAME);
    this.#writer = openOrMake(this.#path);
  }

  /** Opens the other end, which reads the end of the file once no process has the pipe open for writing. */
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
      // At the end of the file no process writes; without data it would block.
      return readSync(reader, Buffer.alloc(1)) !== 0;
    } catch (error) {
      return codeOf(error) === 'EAGAIN';
    } finally {
      if (reader !== undefined) closeSync(reader);
    }
  }
}

/** Opens the pipe for both, because opening it for writing alone fails while it has no reader. */
function openOrMake(path: string): number {
  const opened = tryOpen(path);
  if (opened !== null) return opened;
  const made = spawnSync('mkfifo', ['-m', '600', path], { encoding: 'utf8' });
  // When mkfifo failed, another process may have been first.
  const again = tryOpen(path);
  if (again !== null) return again;
  throw made.error ?? new Error(made.stderr.trim());
}

/** Null when there is none. A plain file in its place, such as a copying tool leaves, is removed. */
function tryOpen(path: string): number | null {
  let descriptor;
  try {
    descriptor = openSync(path, constants.O_RDWR);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
  if (fstatSync(descriptor).isFIFO()) return descriptor;
  closeSync(descriptor);
  rmSync(path);
  return null;
}
