import type { Readable } from 'node:stream';
import { KeyedLimiter } from '../base/keyed-limiter.ts';
import { type StoredImage, StoreUnavailable } from './image-store.ts';

/** The limit of a process. Each read holds a file descriptor and 64 KiB, and may take a minute. */
export const OPEN_READS_MAX = 256;
/** Slow clients of one shop leave room for the others. */
const SHOP_READS_MAX = 64;
/**
 * Limits waiting reads per shop and in total: a burst within the rate limit (decision 0008) is not
 * refused. A waiting read holds no descriptor.
 */
const READS_WAITING_MAX = 1_000;
/**
 * Limits the wait for a shop's slot and again for a total one; together less than a handler's time
 * limit. A burst of 1,000 images of 400 kB in that time takes 107 Mbit/s.
 */
const READ_WAIT_MS_MAX = 30_000;

const CLIENT_DISCONNECTED = 'the reader closed the connection';

export interface ReadLimits {
  readonly openMax?: number;
  readonly openPerShopMax?: number;
  readonly waitingMax?: number;
  readonly waitMsMax?: number;
}

export class ReadLimiter {
  readonly #limiter: KeyedLimiter;

  constructor({
    openMax = OPEN_READS_MAX,
    openPerShopMax = SHOP_READS_MAX,
    waitingMax = READS_WAITING_MAX,
    waitMsMax = READ_WAIT_MS_MAX,
  }: ReadLimits = {}) {
    const all = { concurrency: openMax, waitingMax, waitMsMax };
    this.#limiter = new KeyedLimiter({ concurrency: openPerShopMax, waitingMax, waitMsMax, all });
  }

  get count(): number {
    return this.#limiter.running;
  }

  get waiting(): number {
    return this.#limiter.waiting;
  }

  /**
   * Counts as a read until the stream is closed; its first bytes are then available.
   * @param signal aborts the wait when the client has disconnected
   * @throws StoreUnavailable if too many reads wait, the wait was too long, or reading fails
   */
  async openStream(
    shopId: string,
    open: () => Promise<StoredImage | undefined>,
    signal?: AbortSignal,
  ): Promise<StoredImage | undefined> {
    const opened = Promise.withResolvers<StoredImage | undefined>();
    const read = async (): Promise<void> => await readUntilClosed(open, opened.resolve, signal);
    // Runs until the stream is closed; the caller gets the stream at its first bytes.
    this.#runLimited(shopId, read, signal).catch(opened.reject);
    return await opened.promise;
  }

  async #runLimited(
    shopId: string,
    read: () => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if ((await this.#limiter.run(shopId, read, signal)) !== undefined) return;
    const isGone = signal?.aborted === true;
    throw new StoreUnavailable(isGone ? CLIENT_DISCONNECTED : 'too many images are being read');
  }
}

async function readUntilClosed(
  open: () => Promise<StoredImage | undefined>,
  tell: (opened: StoredImage | undefined) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const opened = await open();
  if (opened !== undefined) {
    const closed = untilClosed(opened.stream);
    await untilReadable(opened.stream);
    if (signal?.aborted === true) {
      opened.stream.destroy();
      throw new StoreUnavailable(CLIENT_DISCONNECTED);
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

/** An early error is then known before the response starts. */
async function untilReadable(stream: Readable): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onReadable = (): void => resolve();
  stream.once('readable', onReadable).once('end', onReadable).once('error', reject);
  try {
    await promise;
  } catch (error) {
    stream.destroy();
    throw new StoreUnavailable('an image could not be read', { cause: error });
  } finally {
    stream.off('readable', onReadable).off('end', onReadable).off('error', reject);
  }
}
