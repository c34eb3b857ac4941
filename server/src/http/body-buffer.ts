/** Chunks below this size are joined, because a client may send each byte as a separate chunk. */
const BLOCK_BYTES = 16_384;

/** Collects the chunks of a body. It takes at most about twice the body's size in memory. */
export class BodyBuffer {
  readonly #whole: Uint8Array[] = [];
  #block = Buffer.alloc(0);
  #blockBytes = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

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
