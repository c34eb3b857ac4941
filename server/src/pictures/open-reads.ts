import type { Readable } from 'node:stream';
import { type StoredBytes, StoreUnavailable } from './picture-store.ts';

/**
 * Pictures that are read at once in the process: each holds a descriptor and 64 KiB, and a reader may take its minute.
 * Beyond it a reader is told to come again.
 */
export const OPEN_READS_MAX = 256;

/** Counts what is being read, so that slow readers cannot take every descriptor. */
export class OpenReads {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Opens a stream and counts it until it is closed. */
  async take(
    open: () => Promise<StoredBytes | undefined>,
    most: number = OPEN_READS_MAX,
  ): Promise<StoredBytes | undefined> {
    if (this.#count >= most) throw new StoreUnavailable('too many pictures are being read');
    this.#count += 1;
    let isOpen = false;
    try {
      const opened = await open();
      if (opened === undefined) return undefined;
      opened.stream.once('close', () => {
        this.#count -= 1;
      });
      isOpen = true;
      await untilReadable(opened.stream);
      return opened;
    } finally {
      if (!isOpen) this.#count -= 1;
    }
  }
}

/** Waits for the first bytes, so that a store that fails at once fails before anything was answered. */
async function untilReadable(stream: Readable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onReadable = (): void => resolve();
  stream.once('readable', onReadable).once('end', onReadable).once('error', reject);
  try {
    await promise;
  } catch (error) {
    stream.destroy();
    throw new StoreUnavailable('a picture could not be read', { cause: error });
  } finally {
    stream.off('readable', onReadable).off('end', onReadable).off('error', reject);
  }
}
