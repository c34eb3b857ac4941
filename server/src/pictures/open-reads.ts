import type { Readable } from 'node:stream';
import { KeyedLimiter } from '../base/keyed-limiter.ts';
import { type StoredBytes, StoreUnavailable } from './picture-store.ts';

/** Pictures that are read at once in the process: each holds a descriptor and 64 KiB, and a reader may take its minute. */
export const OPEN_READS_MAX = 256;
/** Those of one shop: slow readers of one leave the others their place. */
const SHOP_READS_MAX = 64;
/**
 * Reads that wait, of a shop and for the store: a burst that the rate limit lets through (decision 0008) waits and is not
 * turned away. Each holds its request and no descriptor.
 */
const READS_WAITING_MAX = 1_000;
/**
 * Longest wait for a shop's turn, and once more for the store's; together they are below the time of a handler. A burst
 * of 1,000 pictures of 400 kB needs 107 Mbit/s for it.
 */
const READ_WAIT_MS_MAX = 30_000;

/** What the log says of a reader that hung up; nobody is left to be told. */
const READER_GONE = 'the reader has gone';

export interface OpenReadsBounds {
  readonly most?: number;
  readonly mostOfShop?: number;
  readonly waitingMax?: number;
  readonly waitMsMax?: number;
}

/** Lets pictures be read a few hundred at a time, so that slow readers cannot take every descriptor. */
export class OpenReads {
  readonly #limiter: KeyedLimiter;

  constructor({
    most = OPEN_READS_MAX,
    mostOfShop = SHOP_READS_MAX,
    waitingMax = READS_WAITING_MAX,
    waitMsMax = READ_WAIT_MS_MAX,
  }: OpenReadsBounds = {}) {
    const all = { atOnce: most, waitingMax, waitMsMax };
    this.#limiter = new KeyedLimiter({ atOnce: mostOfShop, waitingMax, waitMsMax, all });
  }

  get count(): number {
    return this.#limiter.running;
  }

  get waiting(): number {
    return this.#limiter.waiting;
  }

  /**
   * Opens a stream when it is its turn, and keeps the place until the stream is closed. Its first bytes are there when
   * this returns.
   *
   * @param signal ends the wait of a reader that has gone
   * @throws StoreUnavailable when too many wait, it waited too long, or nothing can be read
   */
  async take(
    shopId: string,
    open: () => Promise<StoredBytes | undefined>,
    signal?: AbortSignal,
  ): Promise<StoredBytes | undefined> {
    const opened = Promise.withResolvers<StoredBytes | undefined>();
    const read = async (): Promise<void> => await readUntilClosed(open, opened.resolve, signal);
    // Goes on for as long as the stream is open; whoever asks has it from its first bytes.
    this.#inTurn(shopId, read, signal).catch(opened.reject);
    return await opened.promise;
  }

  async #inTurn(
    shopId: string,
    read: () => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if ((await this.#limiter.run(shopId, read, signal)) !== undefined) return;
    const isGone = signal?.aborted === true;
    throw new StoreUnavailable(isGone ? READER_GONE : 'too many pictures are being read');
  }
}

/** Opens, hands the stream on, and returns when it is closed, however it ends. */
async function readUntilClosed(
  open: () => Promise<StoredBytes | undefined>,
  tell: (opened: StoredBytes | undefined) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const opened = await open();
  if (opened !== undefined) {
    const closed = untilClosed(opened.stream);
    await untilReadable(opened.stream);
    if (signal?.aborted === true) {
      opened.stream.destroy();
      throw new StoreUnavailable(READER_GONE);
    }
    tell(opened);
    await closed;
  }
  tell(undefined);
}

async function untilClosed(stream: Readable): Promise<void> {
  if (stream.closed) return;
  await new Promise<void>((resolve) => {
    stream.once('close', resolve);
  });
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
