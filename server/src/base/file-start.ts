/** What a file begins with that somebody took for JSON. */
const FOREIGN_STARTS: readonly (readonly [start: Buffer, what: string])[] = [
  [Buffer.from('<'), 'It is a web page or XML, no JSON.'],
  [Buffer.from('PK\u0003\u0004', 'latin1'), 'It is a ZIP archive: unpack it first.'],
  [Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), 'It is packed by zstd: unpack it first.'],
  [Buffer.from([0xff, 0xfe]), 'It is UTF-16, not UTF-8.'],
  [Buffer.from([0xfe, 0xff]), 'It is UTF-16, not UTF-8.'],
];

/** The byte order mark of UTF-8, which stands at the start of a file only. */
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Bytes that tell what a file is; none of the starts is longer. */
export const START_BYTES = 4;

/** One sentence for a file that is no JSON, by how it begins, and how long its byte order mark is. */
export function examineStart(start: Buffer): {
  readonly fault: string | null;
  readonly markBytes: number;
} {
  const foreign = FOREIGN_STARTS.find(([bytes]) => start.subarray(0, bytes.length).equals(bytes));
  const isMarked = start.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  return { fault: foreign?.[1] ?? null, markBytes: isMarked ? BYTE_ORDER_MARK.length : 0 };
}
