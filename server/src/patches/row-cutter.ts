/** Type bytes of the wire protocol's messages, version 3 (PostgreSQL 55.7). */
const DATA_ROW = 0x44;
/** Type byte and length. */
const HEADER_BYTES = 5;
/** The length counts itself, and not the type byte. */
const LENGTH_BYTES = 4;
/** How many values a row has. */
const COUNT_BYTES = 2;
/** The length of a value that is null. */
const NULL_LENGTH = -1;

/** Who takes what a backend has sent. */
export interface RowCutterTarget {
  /** Whole messages and parts of them, in order. */
  readonly others: (bytes: Buffer) => void;
  /** A whole row; each value is its bytes, alone in memory of its own or with its row. */
  readonly row: (values: readonly (Buffer | null)[]) => void;
  /** Whether the rows that follow the description that was passed on last are wanted by `row`. */
  readonly wantsRows: () => boolean;
}

/** Cuts wanted rows out of what a backend sends, however it is broken into pieces, and passes everything else on. */
export class RowCutter {
  readonly #target: RowCutterTarget;
  /** Less than a header. */
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of a message under way that are passed on. */
  #passing = 0;
  #row: Buffer | null = null;
  #rowBytes = 0;

  constructor(target: RowCutterTarget) {
    this.#target = target;
  }

  /** Takes a piece. */
  take(piece: Buffer): void {
    const bytes = this.#head.length === 0 ? piece : Buffer.concat([this.#head, piece]);
    this.#head = Buffer.alloc(0);
    // Where what is to be passed on begins.
    let from = 0;
    let at = 0;
    // Whether everything that says who wants the next row was passed on.
    let isTold = false;
    const pass = (): void => {
      if (at > from) this.#target.others(bytes.subarray(from, at));
      from = at;
    };
    while (at < bytes.length) {
      if (this.#row !== null) {
        at += this.#fillRow(bytes, at);
        from = at;
        continue;
      }
      if (this.#passing > 0) {
        const passed = Math.min(this.#passing, bytes.length - at);
        this.#passing -= passed;
        at += passed;
        continue;
      }
      if (bytes.length - at < HEADER_BYTES) break;
      const type = bytes[at];
      if (type === DATA_ROW) {
        // What describes the rows may stand before. Unwanted rows that follow one another are passed on at once: a call
        // of the parser for each takes a sixth longer.
        if (!isTold) pass();
        isTold = true;
        if (this.#target.wantsRows()) {
          this.#row = Buffer.allocUnsafeSlow(bytes.readUInt32BE(at + 1) - LENGTH_BYTES);
          this.#rowBytes = 0;
          at += HEADER_BYTES;
          from = at;
          continue;
        }
      } else {
        isTold = false;
      }
      this.#passing = 1 + bytes.readUInt32BE(at + 1);
    }
    pass();
    if (at < bytes.length) this.#head = Buffer.from(bytes.subarray(at));
  }

  #fillRow(bytes: Buffer, at: number): number {
    const row = this.#row;
    if (row === null) return 0;
    const copied = bytes.copy(row, this.#rowBytes, at);
    this.#rowBytes += copied;
    if (this.#rowBytes === row.length) {
      this.#row = null;
      this.#target.row(valuesOf(row));
    }
    return copied;
  }
}

/** The values of a row: their number, then each one's length and bytes. */
function valuesOf(row: Buffer): (Buffer | null)[] {
  const values: (Buffer | null)[] = [];
  let at = COUNT_BYTES;
  for (let left = row.readInt16BE(0); left > 0; left--) {
    const length = row.readInt32BE(at);
    at += LENGTH_BYTES;
    values.push(length === NULL_LENGTH ? null : row.subarray(at, at + length));
    at += Math.max(0, length);
  }
  return values;
}
