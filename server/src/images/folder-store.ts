import { type FileHandle, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCodeOf } from '../base/describe-error.ts';
import { newId } from '../base/secrets.ts';
import { ReadLimiter, type ReadLimits } from './read-limiter.ts';
import {
  pathOfKey,
  type ImageKey,
  type ImageStore,
  type StoredImage,
  StoreUnavailable,
  StoreUnusable,
} from './image-store.ts';

/** Only the process owner can read images, because they show a shop's stock. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** The number of bytes read at a time. Larger chunks would use more memory for each slow client. */
const PIECE_BYTES = 65_536;

/** Writes are atomic: the bytes go to a temporary file, which is synced and then renamed. */
export class FolderStore implements ImageStore {
  readonly #folder: string;
  readonly #reads: ReadLimiter;

  constructor(folder: string, reads: ReadLimits = {}) {
    this.#folder = folder;
    this.#reads = new ReadLimiter(reads);
  }

  get openReads(): number {
    return this.#reads.count;
  }

  get waitingReads(): number {
    return this.#reads.waiting;
  }

  async check(): Promise<void> {
    // The name is unique, because several nodes may share the folder and a crash may leave a file.
    const probe = join(this.#folder, `.probe-${newId()}`);
    try {
      await mkdir(this.#folder, { recursive: true, mode: FOLDER_MODE });
      await writeFile(probe, '', { flag: 'wx', mode: FILE_MODE });
      await rm(probe);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const message = `photos cannot be stored in ${this.#folder} (PHOTO_STORE): ${reason}`;
      throw new StoreUnusable(message, { cause: error });
    }
  }

  async write(key: ImageKey, bytes: Uint8Array): Promise<void> {
    const path = this.#pathOf(key);
    try {
      const topmostMade = await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      const file = await open(temporaryPath(path), 'w', FILE_MODE);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporaryPath(path), path);
      await this.#syncFolders(path, topmostMade);
    } catch (error) {
      // Remove the partial file immediately, because the disk may be full.
      await rm(temporaryPath(path), { force: true }).catch(() => undefined);
      throw new StoreUnavailable(`an image could not be written to ${this.#folder}`, {
        cause: error,
      });
    }
  }

  async open(key: ImageKey, signal?: AbortSignal): Promise<StoredImage | undefined> {
    const open = async (): Promise<StoredImage | undefined> => {
      const file = await openIfExists(this.#pathOf(key));
      if (file === undefined) return undefined;
      try {
        const { size } = await file.stat();
        return { stream: file.createReadStream({ highWaterMark: PIECE_BYTES }), length: size };
      } catch (error) {
        await file.close();
        throw new StoreUnavailable('an image could not be read', { cause: error });
      }
    };
    return await this.#reads.openStream(key.shopId, open, signal);
  }

  async lengthOf(key: ImageKey): Promise<number | undefined> {
    try {
      return (await stat(this.#pathOf(key))).size;
    } catch (error) {
      if (errorCodeOf(error) === 'ENOENT') return undefined;
      throw new StoreUnavailable('an image could not be checked', { cause: error });
    }
  }

  async remove(key: ImageKey): Promise<void> {
    const path = this.#pathOf(key);
    try {
      await rm(temporaryPath(path), { force: true });
      await rm(path, { force: true });
    } catch (error) {
      throw new StoreUnavailable('an image could not be removed', { cause: error });
    }
  }

  async close(): Promise<void> {}

  #pathOf(key: ImageKey): string {
    return join(this.#folder, pathOfKey(key));
  }

  /** Syncs the folders too, so that new names survive a power failure. */
  async #syncFolders(path: string, topmostMade: string | undefined): Promise<void> {
    const last = topmostMade === undefined ? dirname(path) : dirname(topmostMade);
    let folder = dirname(path);
    await syncFolder(folder);
    while (folder !== last && folder !== dirname(folder)) {
      folder = dirname(folder);
      await syncFolder(folder);
    }
  }
}

/** The name is derived from `path`, so that `remove` also deletes a file that a crash left. */
function temporaryPath(path: string): string {
  return `${path}.new`;
}

async function openIfExists(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw new StoreUnavailable('an image could not be opened', { cause: error });
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
