import type { Readable } from 'node:stream';
import { ApiError, unavailable } from '../http/errors.ts';

/** The largest body of a batch (DECISIONS 11). */
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
   * @throws ApiError 413 beyond `BATCH_BYTES_MAX`, 503 when other batches fill the spool; the stream's own error when
   * the body breaks off
   */
  async hold<T>(body: Readable, work: (pieces: readonly Uint8Array[]) => Promise<T>): Promise<T> {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    try {
      // The connection lives on after a refusal, which is still to be answered on it.
      for await (const piece of body.iterator({ destroyOnReturn: false })) {
        if (!(piece instanceof Uint8Array)) throw new Error('a body of text');
        bytes += piece.length;
        this.#heldBytes += piece.length;
        if (bytes > BATCH_BYTES_MAX) throw tooLarge();
        if (this.#heldBytes > this.#heldBytesMax) throw unavailable();
        pieces.push(piece);
      }
      return await work(pieces);
    } finally {
      this.#heldBytes -= bytes;
    }
  }
}

/** A batch of more bytes or lines than one may have. */
export function tooLarge(detail?: string): ApiError {
  return new ApiError(413, 'payload_too_large', {
    detail: detail ?? `A batch has at most ${BATCH_BYTES_MAX} bytes. Nothing of it was written.`,
  });
}
