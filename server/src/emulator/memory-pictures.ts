import { Readable } from 'node:stream';
import {
  pathOfKey,
  type PictureKey,
  type PictureStore,
  type StoredBytes,
  StoreUnavailable,
} from '../pictures/picture-store.ts';

/** Bytes of all pictures: some 500 photos in both sizes. Beyond, a partner's test fills the memory of its machine. */
const BYTES_MAX = 256 * 1024 * 1024;

/** Keeps pictures in memory, for as long as the emulator runs. */
export class MemoryPictures implements PictureStore {
  readonly openReads = 0;
  readonly waitingReads = 0;
  #kept = new Map<string, Buffer>();
  #former = new Map<string, Buffer>();
  #bytes = 0;

  /** What is there now, `restore` puts back. */
  keep(): void {
    this.#former = new Map(this.#kept);
  }

  /** Only what was there at the last `keep`. */
  restore(): void {
    this.#kept = new Map(this.#former);
    this.#bytes = [...this.#kept.values()].reduce((sum, { length }) => sum + length, 0);
  }

  async check(): Promise<void> {}

  async write(key: PictureKey, bytes: Uint8Array): Promise<void> {
    if (this.#bytes + bytes.length > BYTES_MAX) {
      throw new StoreUnavailable('the emulator keeps no more pictures');
    }
    this.#kept.set(pathOfKey(key), Buffer.from(bytes));
    this.#bytes += bytes.length;
  }

  async open(key: PictureKey): Promise<StoredBytes | undefined> {
    const bytes = this.#kept.get(pathOfKey(key));
    if (bytes === undefined) return undefined;
    return { stream: Readable.from([bytes], { objectMode: false }), length: bytes.length };
  }

  async lengthOf(key: PictureKey): Promise<number | undefined> {
    return this.#kept.get(pathOfKey(key))?.length;
  }

  async remove(key: PictureKey): Promise<void> {
    const path = pathOfKey(key);
    this.#bytes -= this.#kept.get(path)?.length ?? 0;
    this.#kept.delete(path);
  }

  async close(): Promise<void> {
    this.#kept.clear();
  }
}
