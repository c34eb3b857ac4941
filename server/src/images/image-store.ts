import type { Readable } from 'node:stream';

/** The caller must read the stream to its end or destroy it. */
export interface StoredImage {
  readonly stream: Readable;
  readonly length: number;
}

/**
 * A key such as `<uuid>/<uuid>-large` is written once and never overwritten. Every method throws
 * `StoreUnavailable` when the store is unavailable or full; the call may be repeated.
 */
export interface ImageStore {
  /** @throws Error with the reason why the store is unusable, after at most 5 s */
  check(): Promise<void>;
  /** Once it resolves, the bytes survive a crash. */
  write(key: ImageKey, bytes: Uint8Array, contentType: string): Promise<void>;
  /**
   * Waits for the read limits; undefined if the key does not exist.
   * @param signal aborts the wait when the client has disconnected
   */
  open(key: ImageKey, signal?: AbortSignal): Promise<StoredImage | undefined>;
  /** Undefined if the key does not exist. */
  lengthOf(key: ImageKey): Promise<number | undefined>;
  /** A missing key is not an error. */
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

/** Large if no size is requested, null if it is invalid. */
export function parseImageSize(text: unknown): ImageSize | null {
  if (text === undefined) return 'large';
  return IMAGE_SIZES.find((size) => size === text) ?? null;
}

/** The store is unavailable, busy or full: 503 in the API. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The service does not start. `message` says why the folder cannot store images. */
export class StoreUnusable extends Error {
  override name = 'StoreUnusable';
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Two lower-case UUIDs and a known word, so the path cannot leave the folder. */
export function pathOfKey({ shopId, pictureId, size }: ImageKey): string {
  if (!UUID.test(shopId) || !UUID.test(pictureId) || !IMAGE_SIZES.includes(size)) {
    throw new Error('not the key of an image');
  }
  // 256 folders per shop: a folder with a million names is slow to list and to copy.
  return `${shopId}/${pictureId.slice(0, 2)}/${pictureId}-${size}`;
}
