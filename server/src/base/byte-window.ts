/** The window's first size; it holds a chunk of a file (64 KiB) and the element that a chunk cut. */
const FIRST_BYTES = 256 * 1024;

/**
 * The part of a stream that is still needed, in one piece. `from` moves on with what is done; bytes before it may be
 * dropped when more come. Positions hold until the next `add`, which says by how much they have moved down.
 */
export class ByteWindow {
  bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  from = 0;
  to = 0;

  /** Takes bytes in; returns by how much every position has moved down. */
  add(chunk: Uint8Array): number {
    let moved = 0;
    if (this.to + chunk.length > this.bytes.length) {
      moved = this.from;
      this.#makeRoom(chunk.length);
    }
    this.bytes.set(chunk, this.to);
    this.to += chunk.length;
    return moved;
  }

  /** Twice what is needed, so that moving costs less than a copy of each byte. */
  #makeRoom(added: number): void {
    const held = this.to - this.from;
    const needed = (held + added) * 2;
    const target = needed > this.bytes.length ? Buffer.allocUnsafeSlow(needed) : this.bytes;
    this.bytes.copy(target, 0, this.from, this.to);
    this.bytes = target;
    this.from = 0;
    this.to = held;
  }
}
