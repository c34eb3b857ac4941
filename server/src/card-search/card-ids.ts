import { uuidOfHex } from '../base/uuid.ts';

/** A UUID has 16 bytes; as text it would take 56. */
const BYTES = 16;

export class CardIds {
  readonly #bytes: Buffer;

  constructor(size: number) {
    this.#bytes = Buffer.alloc(size * BYTES);
  }

  /** Stores the UUID `id`. Throws a TypeError on any other text. */
  write(number: number, id: string): void {
    const written = this.#bytes.write(id.replaceAll('-', ''), number * BYTES, BYTES, 'hex');
    if (written !== BYTES) throw new TypeError(`the id of a card is not a UUID: ${id}`);
  }

  read(number: number): string {
    const at = number * BYTES;
    return uuidOfHex(this.#bytes.toString('hex', at, at + BYTES));
  }

  /** Compares the bytes of two ids, which have the same order as their texts. */
  compare(a: number, b: number): number {
    const [x, y] = [a * BYTES, b * BYTES];
    return this.#bytes.compare(this.#bytes, y, y + BYTES, x, x + BYTES);
  }

  /** Returns the ids reordered: id n of the result is id `order[n]` of this instance. */
  inOrder(order: Uint32Array): CardIds {
    const ordered = new CardIds(order.length);
    for (const [number, from] of order.entries()) {
      this.#bytes.copy(ordered.#bytes, number * BYTES, from * BYTES, (from + 1) * BYTES);
    }
    return ordered;
  }

  static collect(): { push(id: string): void; ids(): CardIds } {
    let ids = new CardIds(1_024);
    let size = 0;
    return {
      push(id) {
        if (size * BYTES === ids.#bytes.length) {
          const grown = new CardIds(size * 2);
          ids.#bytes.copy(grown.#bytes);
          ids = grown;
        }
        ids.write(size++, id);
      },
      ids: () => ids,
    };
  }
}
