import type { Readable } from 'node:stream';

/** An open image. The caller must read the stream to its end or destroy the stream. */
export interface StoredImage {
  readonly stream: Readable;
  readonly length: number;
}

/**
 * Stores images. A key such as `<uuid>/<uuid>-large` is written once and never overwritten. Every
 * method throws `StoreUnavailable` when the store is unavailable or full; the call may be repeated.
 */
export interface ImageStore {
  /** Throws an Error with the reason if the store is unusable, after at most 5 s. */
  check(): Promise<void>;
  /** Writes an image. Once the promise resolves, the bytes survive a crash. */
  write(key: ImageKey, bytes: Uint8Array, contentType: string): Promise<void>;
  /** Waits for the read limits; the signal aborts the wait. Undefined if the key does not exist. */
  open(key: ImageKey, signal?: AbortSignal): Promise<StoredImage | undefined>;
  /** Returns the size of an image in bytes, or undefined if the key does not exist. */
  lengthOf(key: ImageKey): Promise<number | undefined>;
  /** Removes an image. A missing key is not an error. */
  remove(key: ImageKey): Promise<void>;
  readonly openReads: number;
  readonly waitingReads: number;
  close(): Promise<void>;
}

export interface ImageKey {
  readonly shopId: string;
  readonly pictureId: string;
  readonly size: ImageSize;
}

export const IMAGE_SIZES = ['large', 'small'] as const;

export type ImageSize = (typeof IMAGE_SIZES)[number];

export function parseImageSize(text: unknown): ImageSize | null {
  if (text === undefined) return 'large';
  return IMAGE_SIZES.find((size) => size === text) ?? null;
}

/** The store is unavailable, busy or full. The API responds with 503. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The folder cannot store images, for the reason in `message`. The service does not start. */
export class StoreUnusable extends Error {
  override name = 'StoreUnusable';
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the path of a key. The parts are checked, so every path is inside the folder. */
export function pathOfKey({ shopId, pictureId, size }: ImageKey): string {
  if (!UUID.test(shopId) || !UUID.test(pictureId) || !IMAGE_SIZES.includes(size)) {
    throw new Error('not the key of an image');
  }
  // Each shop has 256 folders, because a folder with a million names is slow to list and to copy.
  return `${shopId}/${pictureId.slice(0, 2)}/${pictureId}-${size}`;
}
