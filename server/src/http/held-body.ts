/** Smaller pieces are put together: a sender may cut a body into single bytes, and each would be held by itself. */
const BLOCK_BYTES = 16_384;

/** The pieces of a body that is held until it is whole, in memory of about twice its bytes at most, however it came. */
export class HeldBody {
  readonly #whole: Uint8Array[] = [];
  #block = Buffer.alloc(0);
  #blockBytes = 0;
  #bytes = 0;

  /** Bytes that were added. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a piece behind the others. */
  add(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (piece.length >= BLOCK_BYTES) {
      this.#endBlock();
      this.#whole.push(piece);
      return;
    }
    if (this.#blockBytes + piece.length > this.#block.length) {
      this.#endBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    }
    this.#block.set(piece, this.#blockBytes);
    this.#blockBytes += piece.length;
  }

  /** All of it, in order. */
  pieces(): readonly Uint8Array[] {
    this.#endBlock();
    return this.#whole;
  }

  #endBlock(): void {
    if (this.#blockBytes > 0) this.#whole.push(this.#block.subarray(0, this.#blockBytes));
    this.#block = Buffer.alloc(0);
    this.#blockBytes = 0;
  }
}
