import type { Readable } from 'node:stream';
import { hasJustResumed } from '../base/process-pauses.ts';
import { ApiError, serviceUnavailable } from './errors.ts';
import { BodyBuffer } from './body-buffer.ts';

/** The maximum size of a batch's body (decision 0009). */
export const BATCH_BYTES_MAX = 16 * 1024 * 1024;

export interface SpoolBounds {
  readonly noun: string;
  readonly bodyBytesMax: number;
  /** The maximum memory for the bodies of all shops together. Further bodies get a 503. */
  readonly heldBytesMax: number;
  /** The maximum memory per shop, lower than `heldBytesMax`, so that other shops have room. */
  readonly shopBytesMax: number;
  /** A body that grows by fewer bytes than this in an interval (below 26 kbit/s) is refused. */
  readonly progressBytesMin: number;
  /** Longer than typical interruptions of a mobile connection. */
  readonly progressIntervalMs: number;
}

const BOUNDS: SpoolBounds = {
  noun: 'batch',
  bodyBytesMax: BATCH_BYTES_MAX,
  heldBytesMax: 16 * BATCH_BYTES_MAX,
  shopBytesMax: 2 * BATCH_BYTES_MAX,
  progressBytesMin: 32_768,
  progressIntervalMs: 10_000,
};

/** Holds bodies until they are complete: an interrupted body writes nothing (decision 0009). */
export class Spool {
  readonly #bounds: SpoolBounds;
  #heldBytes = 0;
  readonly #shopBytes = new Map<string, number>();

  constructor(bounds: Partial<SpoolBounds> = {}) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /**
   * Reads a body completely, passes its chunks to `work`, and releases them afterwards.
   *
   * @throws ApiError 413 if the body is larger than `bodyBytesMax`, 503 if too many bytes are held,
   *   408 if the body arrives too slowly, 400 if it ends early
   */
  async buffer<T>(
    shopId: string,
    body: Readable,
    work: (pieces: readonly Uint8Array[]) => Promise<T>,
  ): Promise<T> {
    const held = new BodyBuffer();
    try {
      for await (const piece of readPieces(body, this.#bounds)) {
        held.add(piece);
        this.#count(shopId, piece.length);
        this.#refuseTooMuch(shopId);
      }
      return await work(held.pieces());
    } finally {
      this.#count(shopId, -held.bytes);
    }
  }

  /**
   * Reads the rest of the body: closing a connection with unread bytes resets it, and the client
   * would lose the response.
   */
  async discard(body: Readable): Promise<void> {
    try {
      for await (const piece of readPieces(body, this.#bounds)) void piece;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }

  #count(shopId: string, bytes: number): void {
    this.#heldBytes += bytes;
    const held = (this.#shopBytes.get(shopId) ?? 0) + bytes;
    if (held === 0) this.#shopBytes.delete(shopId);
    else this.#shopBytes.set(shopId, held);
  }

  #refuseTooMuch(shopId: string): void {
    if ((this.#shopBytes.get(shopId) ?? 0) > this.#bounds.shopBytesMax) {
      throw serviceUnavailable({
        detail: `The shop has too many uploads in progress (${this.#bounds.noun}). Try again later.`,
      });
    }
    if (this.#heldBytes > this.#bounds.heldBytesMax) {
      throw serviceUnavailable({
        detail: `Too many uploads are in progress (${this.#bounds.noun}). Try again later.`,
      });
    }
  }
}

async function* readPieces(
  body: Readable,
  { noun, bodyBytesMax, progressBytesMin, progressIntervalMs }: SpoolBounds,
): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  let bytesBefore = 0;
  let refuse: (error: ApiError) => void = () => undefined;
  const timer = setInterval(() => {
    if (bytes - bytesBefore < progressBytesMin && !hasJustResumed()) {
      refuse(tooSlow(progressBytesMin, progressIntervalMs));
    }
    bytesBefore = bytes;
  }, progressIntervalMs);
  // Destroying the stream after an error would close the connection before the response is sent.
  const pieces: AsyncIterator<unknown, unknown> = body.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = Promise.withResolvers<IteratorResult<unknown, unknown>>();
      refuse = next.reject;
      pieces.next().then(next.resolve, next.reject);
      const { done, value } = await next.promise;
      if (done === true) return;
      if (!(value instanceof Uint8Array)) throw new Error('the body stream must yield bytes');
      bytes += value.length;
      if (bytes > bodyBytesMax) throw bodyTooLarge(tooManyBytes(noun, bodyBytesMax));
      yield value;
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // The client has disconnected, or closed its side too early and still receives this response.
    const detail = 'The body ended early. Nothing was written.';
    throw new ApiError(400, 'invalid_request', { detail, cause: error });
  } finally {
    clearInterval(timer);
    // Do not await this: it resolves only after the next chunk of a slow body.
    pieces.return?.().catch(() => undefined);
  }
}

function tooSlow(bytes: number, ms: number): ApiError {
  const detail = `The upload was too slow: fewer than ${bytes} bytes arrived in ${ms / 1_000} seconds. Nothing was written.`;
  return new ApiError(408, 'invalid_request', { detail });
}

export function bodyTooLarge(detail: string): ApiError {
  return new ApiError(413, 'payload_too_large', { detail });
}

function tooManyBytes(noun: string, bytesMax: number): string {
  return `The ${noun} is larger than ${bytesMax} bytes. Nothing was written.`;
}
