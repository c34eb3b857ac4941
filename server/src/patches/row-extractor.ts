/** The type byte `D` of a row in the wire protocol (PostgreSQL, "Message Formats"). */
const DATA_ROW = 0x44;
/** The length of a message header: the type byte and the length field. */
const HEADER_BYTES = 5;
/** The size of the length field. The length counts this field, but not the type byte. */
const LENGTH_BYTES = 4;
const COUNT_BYTES = 2;
const NULL_LENGTH = -1;

export interface RowExtractorTarget {
  readonly onOtherBytes: (bytes: Buffer) => void;
  /** Called for each wanted row. The values are slices of a buffer that no other row uses. */
  readonly onRow: (values: readonly (Buffer | null)[]) => void;
  /** Returns whether to extract the rows that follow the latest row description. */
  readonly wantsRows: () => boolean;
}

/** Separates wanted rows from all other bytes. A chunk may end in the middle of a message. */
export class RowExtractor {
  readonly #target: RowExtractorTarget;
  #partialHeader: Buffer = Buffer.alloc(0);
  #passThroughBytes = 0;
  #row: Buffer | null = null;
  #rowBytes = 0;

  constructor(target: RowExtractorTarget) {
    this.#target = target;
  }

  push(chunk: Buffer): void {
    const bytes =
      this.#partialHeader.length === 0 ? chunk : Buffer.concat([this.#partialHeader, chunk]);
    this.#partialHeader = Buffer.alloc(0);
    let from = 0;
    let at = 0;
    // True if all bytes before the current row were passed on, so `wantsRows` is up to date.
    let isPassedOn = false;
    const flush = (): void => {
      if (at > from) this.#target.onOtherBytes(bytes.subarray(from, at));
      from = at;
    };
    while (at < bytes.length) {
      if (this.#row !== null) {
        at += this.#fillRow(bytes, at);
        from = at;
        continue;
      }
      if (this.#passThroughBytes > 0) {
        const passed = Math.min(this.#passThroughBytes, bytes.length - at);
        this.#passThroughBytes -= passed;
        at += passed;
        continue;
      }
      if (bytes.length - at < HEADER_BYTES) break;
      const type = bytes[at];
      if (type === DATA_ROW) {
        // Earlier bytes may contain the description of this row, so pass them on first, but only
        // once for several rows: with a parser call per row, the extraction would take a sixth
        // longer.
        if (!isPassedOn) flush();
        isPassedOn = true;
        if (this.#target.wantsRows()) {
          this.#row = Buffer.allocUnsafeSlow(bytes.readUInt32BE(at + 1) - LENGTH_BYTES);
          this.#rowBytes = 0;
          at += HEADER_BYTES;
          from = at;
          continue;
        }
      } else {
        isPassedOn = false;
      }
      this.#passThroughBytes = 1 + bytes.readUInt32BE(at + 1);
    }
    flush();
    if (at < bytes.length) this.#partialHeader = Buffer.from(bytes.subarray(at));
  }

  #fillRow(bytes: Buffer, at: number): number {
    const row = this.#row;
    if (row === null) return 0;
    const copied = bytes.copy(row, this.#rowBytes, at);
    this.#rowBytes += copied;
    if (this.#rowBytes === row.length) {
      this.#row = null;
      this.#target.onRow(valuesOf(row));
    }
    return copied;
  }
}

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
