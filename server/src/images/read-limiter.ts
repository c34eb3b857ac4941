import type { Readable } from 'node:stream';
import { FairLimiter } from '../base/fair-limiter.ts';
import { type StoredImage, StoreUnavailable } from './image-store.ts';

/** The limit of a process. A read uses a file descriptor and 64 KiB for up to a minute. */
export const OPEN_READS_MAX = 256;
/** Lower than the limit of the process, so that other shops can read despite slow clients. */
const SHOP_READS_MAX = 64;
/** Enough for a burst within the rate limit (decision 0008). Waiting reads use no descriptor. */
const READS_WAITING_MAX = 1_000;
/**
 * The maximum wait for a slot, which is shorter than the time limit of a handler. A client with 107 Mbit/s receives 1,000 images of 400
 * kB in this time.
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
  readonly #limiter: FairLimiter;

  constructor({
    openMax = OPEN_READS_MAX,
    openPerShopMax = SHOP_READS_MAX,
    waitingMax = READS_WAITING_MAX,
    waitMsMax = READ_WAIT_MS_MAX,
  }: ReadLimits = {}) {
    const shop = { running: openPerShopMax, waiting: waitingMax };
    const all = { running: openMax, waiting: 4 * waitingMax };
    this.#limiter = new FairLimiter({ bounds: [all, shop], waitMsMax });
  }

  get count(): number {
    return this.#limiter.running;
  }

  get waiting(): number {
    return this.#limiter.waiting;
  }

  /**
   * An open stream counts as a read until it is closed. The signal aborts the wait.
   * @throws StoreUnavailable if too many reads wait, the wait was too long, or reading fails
   */
  async openStream(
    shopId: string,
    open: () => Promise<StoredImage | undefined>,
    signal?: AbortSignal,
  ): Promise<StoredImage | undefined> {
    const opened = Promise.withResolvers<StoredImage | undefined>();
    const read = async (): Promise<void> => await readUntilClosed(open, opened.resolve, signal);
    // Do not await this: it runs until the stream is closed, but the caller gets the stream at its
    // first bytes.
    this.#runLimited(shopId, read, signal).catch(opened.reject);
    return await opened.promise;
  }

  async #runLimited(
    shopId: string,
    read: () => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if ((await this.#limiter.run([shopId], read, signal)) !== undefined) return;
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

/** Waits for a stream's first bytes, so that an error is known before the response starts. */
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
