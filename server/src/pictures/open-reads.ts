import type { Readable } from 'node:stream';
import { type StoredBytes, StoreUnavailable } from './picture-store.ts';

/**
 * Pictures that are read at once in the process: each holds a descriptor and 64 KiB, and a reader may take its minute.
 * Beyond it a reader is told to come again.
 */
export const OPEN_READS_MAX = 256;
/** Those of one shop: slow readers of one leave the others their place. */
const SHOP_READS_MAX = 64;

/** Counts what is being read, so that slow readers cannot take every descriptor. */
export class OpenReads {
  readonly #most: number;
  readonly #mostOfShop: number;
  #count = 0;
  readonly #ofShop = new Map<string, number>();

  constructor({ most = OPEN_READS_MAX, mostOfShop = SHOP_READS_MAX } = {}) {
    this.#most = most;
    this.#mostOfShop = mostOfShop;
  }

  get count(): number {
    return this.#count;
  }

  /**
   * Opens a stream and counts it until it is closed. Its first bytes are there when this returns.
   *
   * @throws StoreUnavailable when too many are open, or nothing can be read
   */
  async take(
    shopId: string,
    open: () => Promise<StoredBytes | undefined>,
  ): Promise<StoredBytes | undefined> {
    if (this.#count >= this.#most || (this.#ofShop.get(shopId) ?? 0) >= this.#mostOfShop) {
      throw new StoreUnavailable('too many pictures are being read');
    }
    this.#add(shopId, 1);
    let isOpen = false;
    try {
      const opened = await open();
      if (opened === undefined) return undefined;
      opened.stream.once('close', () => this.#add(shopId, -1));
      isOpen = true;
      await untilReadable(opened.stream);
      return opened;
    } finally {
      if (!isOpen) this.#add(shopId, -1);
    }
  }

  #add(shopId: string, count: number): void {
    this.#count += count;
    const ofShop = (this.#ofShop.get(shopId) ?? 0) + count;
    if (ofShop === 0) this.#ofShop.delete(shopId);
    else this.#ofShop.set(shopId, ofShop);
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
