import type { Readable } from 'node:stream';
import type { Log } from '../base/log.ts';
import type { ImageSize, ImageStore } from '../images/image-store.ts';
import type { UnitPhoto } from './unit-photo.ts';

export interface PhotoBytes {
  readonly length: number;
  /**
   * Opens the bytes once the read limits allow it; undefined if the store lacks all or some of
   * them.
   *
   * @param signal aborts the wait when the client has disconnected
   * @throws StoreUnavailable
   */
  readonly open: (signal: AbortSignal) => Promise<Readable | undefined>;
}

/** The length is in the row, so that HEAD does not query the store. */
export function photoBytes(
  { images, log }: { readonly images: ImageStore; readonly log: Pick<Log, 'warn'> },
  shopId: string,
  { pictureId, largeBytes, smallBytes }: UnitPhoto,
  size: ImageSize,
): PhotoBytes {
  const length = size === 'large' ? largeBytes : smallBytes;
  const key = { shopId, pictureId, size };
  const open = async (signal: AbortSignal): Promise<Readable | undefined> => {
    const stored = await images.open(key, signal);
    if (stored?.length === length) return stored.stream;
    stored?.stream.destroy();
    // Database and store were restored to different times (docs/operating.md); uploading the photo
    // again repairs it.
    log.warn(key, 'the image of a photo is missing in the store');
    return undefined;
  };
  return { length, open };
}
