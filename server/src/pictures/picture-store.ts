import type { Readable } from 'node:stream';

/** Bytes on their way out of the store. Whoever opened them reads them to their end or destroys the stream. */
export interface StoredBytes {
  readonly stream: Readable;
  readonly length: number;
}

/**
 * Keeps the bytes of pictures under keys such as `<uuid>/<uuid>-large`. A key is written once and never overwritten.
 * Every verb throws `StoreUnavailable` when the store is away or full; the same call may be made again.
 */
export interface PictureStore {
  /**
   * Looks whether the store can be used, within 5 s.
   *
   * @throws Error with the reason
   */
  check(): Promise<void>;
  /** Keeps the bytes: when it returns they outlive a crash. */
  write(key: PictureKey, bytes: Uint8Array, contentType: string): Promise<void>;
  /**
   * Opens the bytes when it is their turn, the first of which are there then; undefined when the store has none under
   * the key.
   *
   * @param signal ends the wait of a reader that has gone
   */
  open(key: PictureKey, signal?: AbortSignal): Promise<StoredBytes | undefined>;
  /** How many bytes there are under the key; undefined when there are none. */
  lengthOf(key: PictureKey): Promise<number | undefined>;
  /** Lets the bytes go; a key without any is no fault. */
  remove(key: PictureKey): Promise<void>;
  readonly openReads: number;
  readonly waitingReads: number;
  close(): Promise<void>;
}

export interface PictureKey {
  readonly shopId: string;
  readonly pictureId: string;
  readonly size: PictureSize;
}

export const PICTURE_SIZES = ['large', 'small'] as const;

export type PictureSize = (typeof PICTURE_SIZES)[number];

/** The size that a caller names: large when none is given, null when it is no size. */
export function parsePictureSize(text: unknown): PictureSize | null {
  if (text === undefined) return 'large';
  return PICTURE_SIZES.find((size) => size === text) ?? null;
}

/** The store is away, busy or full: 503 on the wire. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** A folder that can hold no pictures: the service does not start. `message` is the sentence that says why. */
export class StoreUnusable extends Error {
  override name = 'StoreUnusable';
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The key as a relative path. Made of two uuids in lower case and a known word, so that it leads nowhere else. */
export function pathOfKey({ shopId, pictureId, size }: PictureKey): string {
  if (!UUID.test(shopId) || !UUID.test(pictureId) || !PICTURE_SIZES.includes(size)) {
    throw new Error('a key of no picture');
  }
  // 256 folders for each shop: a folder of a million names is slow to list and to copy.
  return `${shopId}/${pictureId.slice(0, 2)}/${pictureId}-${size}`;
}
