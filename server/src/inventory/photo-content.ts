import type { Readable } from 'node:stream';
import type { Log } from '../base/log.ts';
import type { ImageSize, ImageStore } from '../images/image-store.ts';
import type { UnitPhoto } from './unit-photo.ts';

export interface PhotoContent {
  readonly length: number;
  /**
   * Waits for the read limits. Returns undefined if the store lacks all or some of the bytes.
   *
   * @param signal aborts the wait when the client has disconnected
   * @throws StoreUnavailable
   */
  readonly open: (signal: AbortSignal) => Promise<Readable | undefined>;
}

/** The length comes from the row, so that HEAD does not query the store. */
export function photoContent(
  { images, log }: { readonly images: ImageStore; readonly log: Pick<Log, 'warn'> },
  shopId: string,
  { pictureId, largeBytes, smallBytes }: UnitPhoto,
  size: ImageSize,
): PhotoContent {
  const length = size === 'large' ? largeBytes : smallBytes;
  const key = { shopId, pictureId, size };
  const open = async (signal: AbortSignal): Promise<Readable | undefined> => {
    const stored = await images.open(key, signal);
    if (stored?.length === length) return stored.stream;
    stored?.stream.destroy();
    // The database and the store were restored to different points in time (docs/operating.md).
    // Uploading the photo again repairs this.
    log.warn(key, 'the image of a photo is missing from the image store');
    return undefined;
  };
  return { length, open };
}
