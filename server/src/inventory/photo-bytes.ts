import type { Readable } from 'node:stream';
import type { Log } from '../base/log.ts';
import type { PictureSize, PictureStore } from '../pictures/picture-store.ts';
import type { UnitPhoto } from './unit-photo.ts';

/** One size of a photo: how many bytes it has, and how to read them. */
export interface PhotoBytes {
  readonly length: number;
  /**
   * Opens the bytes when it is their turn; undefined when the store has none, or not all of them.
   *
   * @param signal ends the wait of a reader that has gone
   * @throws StoreUnavailable
   */
  readonly open: (signal: AbortSignal) => Promise<Readable | undefined>;
}

/** The bytes of a unit's photo. Their count is in the row, so that HEAD asks nothing of the store. */
export function photoBytes(
  { pictures, log }: { readonly pictures: PictureStore; readonly log: Pick<Log, 'warn'> },
  shopId: string,
  { pictureId, largeBytes, smallBytes }: UnitPhoto,
  size: PictureSize,
): PhotoBytes {
  const length = size === 'large' ? largeBytes : smallBytes;
  const key = { shopId, pictureId, size };
  const open = async (signal: AbortSignal): Promise<Readable | undefined> => {
    const stored = await pictures.open(key, signal);
    if (stored?.length === length) return stored.stream;
    stored?.stream.destroy();
    // A database and a store of different times (docs/operating.md): sending the picture again heals it.
    log.warn(key, 'a photo has no bytes in the store');
    return undefined;
  };
  return { length, open };
}
