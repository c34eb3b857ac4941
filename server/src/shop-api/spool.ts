import type { Readable } from 'node:stream';
import { ApiError, unavailable } from '../http/errors.ts';

/** The largest body of a batch (decision 0009). */
export const BATCH_BYTES_MAX = 16 * 1024 * 1024;
/** Bytes of batches that one process holds at once; beyond it a batch is told to come again (503). */
const HELD_BYTES_MAX = 16 * BATCH_BYTES_MAX;

/**
 * Takes whole bodies of batches in, within a bound for all of them together. A body is written only when it is here as
 * a whole, so that one that breaks off or is too large has written nothing (decision: batches).
 */
export class Spool {
  #heldBytes = 0;
  readonly #heldBytesMax: number;

  constructor(heldBytesMax = HELD_BYTES_MAX) {
    this.#heldBytesMax = heldBytesMax;
  }

  /**
   * Reads the body, hands its pieces to `work`, and lets them go afterwards.
   *
   * @throws ApiError 413 beyond `BATCH_BYTES_MAX`, 503 when other batches fill the spool, 400 when the body breaks off
   */
  async hold<T>(body: Readable, work: (pieces: readonly Uint8Array[]) => Promise<T>): Promise<T> {
    const pieces: Uint8Array[] = [];
    try {
      for await (const piece of readPieces(body)) {
        pieces.push(piece);
        this.#heldBytes += piece.length;
        if (this.#heldBytes > this.#heldBytesMax) throw unavailable();
      }
      return await work(pieces);
    } finally {
      for (const piece of pieces) this.#heldBytes -= piece.length;
    }
  }
}

async function* readPieces(body: Readable): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  try {
    // The connection lives on after a refusal, which is still to be answered on it.
    for await (const piece of body.iterator({ destroyOnReturn: false })) {
      if (!(piece instanceof Uint8Array)) throw new Error('a body of text');
      bytes += piece.length;
      if (bytes > BATCH_BYTES_MAX) throw tooLarge();
      yield piece;
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    // The caller is gone, or closed its side too early and hears this.
    const detail = 'The body broke off. Nothing of it was written.';
    throw new ApiError(400, 'invalid_request', { detail, cause: error });
  }
}

/** A batch of more bytes or lines than one may have. */
export function tooLarge(detail?: string): ApiError {
  return new ApiError(413, 'payload_too_large', {
    detail: detail ?? `A batch has at most ${BATCH_BYTES_MAX} bytes. Nothing of it was written.`,
  });
}
