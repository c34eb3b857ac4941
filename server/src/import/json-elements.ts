import { isUtf8 } from 'node:buffer';
import { NOT_JSON, parseJson } from '../base/json.ts';
import { describeGunzipError, gunzipIfCompressed } from './gunzip.ts';

/**
 * An element of a file. `number` is the line on which the element starts. `ordinal` is its position
 * in its array if it shares that line with the previous element, else null. A `broken` element is
 * always the last, because the rest of the file is not JSON.
 */
export type JsonElement =
  | {
      readonly kind: 'value';
      readonly number: number;
      readonly ordinal: number | null;
      readonly value: unknown;
    }
  | { readonly kind: 'broken'; readonly number: number; readonly reason: string };

/** The maximum length of an element. Elements of public card databases have at most 100 kB. */
export const ELEMENT_BYTES_MAX = 1_048_576;

/**
 * Reads the elements of a JSON file, plain or gzip, one at a time: those of a top-level array, of
 * the array in the member `data` of a top-level object, or consecutive top-level objects (NDJSON).
 * Ends at the first error, after the elements before it. Errors of the source are thrown.
 */
export async function* readJsonElements(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<JsonElement, void, undefined> {
  const reader = new ElementReader();
  try {
    for await (const chunk of gunzipIfCompressed(bytes)) yield* reader.push(chunk);
    reader.finish();
  } catch (error) {
    const reason = error instanceof InvalidJson ? error.message : describeGunzipError(error);
    if (reason === null) throw error;
    const number = error instanceof InvalidJson ? error.line : reader.line;
    yield { kind: 'broken', number, reason };
  }
}

class InvalidJson extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

const NEWLINE = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The bytes that delimit elements and lines if they are outside strings. */
const STRUCTURAL = new Uint8Array(256);
for (const byte of [NEWLINE, QUOTE, COMMA, OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE]) {
  STRUCTURAL[byte] = 1;
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** The first bytes of other file types that people upload as JSON. */
const OTHER_FILE_SIGNATURES = [
  ['<', 'The file is a web page or XML, not JSON.'],
  ['PK', 'The file is a ZIP archive. Unpack it first.'],
  ['\x28\xb5', 'The file is compressed with zstd. Decompress it first.'],
  ['\xff\xfe', 'The file is encoded in UTF-16. Convert it to UTF-8 first.'],
  ['\xfe\xff', 'The file is encoded in UTF-16. Convert it to UTF-8 first.'],
] as const;

/** The number of bytes before an array that are searched for the name `data`. */
const NAME_BYTES_MAX = 64;
const DATA_MEMBER = /(?<!\\)"data"\s*:\s*$/;

/** Splits a file into elements by brackets, commas and quotes; `parseJson` parses each element. */
class ElementReader {
  line = 1;
  #bytes = Buffer.alloc(0);
  #offset = 0;
  #at = 0;
  /** The start of the current element, or of the white space before it. */
  #from = 0;
  #fromLine = 1;
  #isInString = false;
  #depth = 0;
  /** The bracket depth of the current array's elements, or 0 outside arrays. */
  #arrayDepth = 0;
  #isArrayEmpty = true;
  #elements = 0;
  #lastLine = 0;
  /** The text around the `data` arrays of an object; limited, because it may have many of them. */
  #envelope = '';

  *push(chunk: Uint8Array): Generator<JsonElement, void, undefined> {
    this.#bytes = Buffer.concat([this.#bytes.subarray(this.#from), chunk]);
    this.#offset += this.#from;
    this.#at -= this.#from;
    this.#from = 0;
    while (this.#findStructure()) {
      const element = this.#pass(this.#bytes[this.#at] ?? 0);
      this.#at += 1;
      if (element !== null) yield element;
    }
    if (this.#bytes.length - this.#from > ELEMENT_BYTES_MAX) throw this.#invalid(TOO_LONG);
  }

  finish(): void {
    if (this.#depth > 0) throw this.#invalid('does not end');
  }

  #findStructure(): boolean {
    const bytes = this.#bytes;
    const to = bytes.length;
    let at = this.#at;
    if (this.#isInString) {
      while (at < to && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
    } else if (this.#depth > 0) {
      while (at < to && STRUCTURAL[bytes[at] ?? 0] === 0) at += 1;
    }
    this.#at = at;
    return at < to;
  }

  #pass(byte: number): JsonElement | null {
    if (byte === NEWLINE) this.line += 1;
    if (this.#depth === 0) return this.#passTop(byte);
    const isBetween = this.#depth === this.#arrayDepth;
    switch (byte) {
      case QUOTE:
        this.#isInString = !this.#isInString;
        return null;
      case COMMA:
        return isBetween ? this.#endElement(false) : null;
      case OPEN_BRACE:
        this.#depth += 1;
        return null;
      case OPEN_BRACKET:
        return this.#open();
      case CLOSE_BRACKET:
        return isBetween ? this.#endArray() : this.#close();
      case CLOSE_BRACE:
        if (isBetween) throw this.#invalid(NOT_JSON);
        return this.#close();
      default:
        return null;
    }
  }

  #passTop(byte: number): null {
    const byteOffset = this.#offset + this.#at;
    this.#from = this.#at;
    this.#fromLine = this.line;
    if (byte === OPEN_BRACE) {
      this.#depth = 1;
    } else if (byte === OPEN_BRACKET) {
      this.#depth = 1;
      this.#enterArray();
    } else if (isSpace(byte) || byte === BYTE_ORDER_MARK[byteOffset]) {
      this.#from += 1;
    } else {
      const start = this.#bytes.subarray(this.#at, this.#at + 2).toString('latin1');
      const otherType = OTHER_FILE_SIGNATURES.find(
        ([begin]) => byteOffset === 0 && start.startsWith(begin),
      );
      throw otherType === undefined ? this.#invalid(NOT_JSON) : new InvalidJson(1, otherType[1]);
    }
    return null;
  }

  #enterArray(): void {
    this.#arrayDepth = this.#depth;
    this.#isArrayEmpty = true;
    this.#from = this.#at + 1;
    this.#fromLine = this.line;
  }

  #open(): null {
    this.#depth += 1;
    if (this.#depth !== 2 || this.#arrayDepth > 0) return null;
    const nameFrom = Math.max(this.#from, this.#at - NAME_BYTES_MAX);
    const before = this.#bytes.subarray(nameFrom, this.#at).toString('latin1');
    if (!DATA_MEMBER.test(before)) return null;
    this.#envelope += this.#text(this.#from, this.#at + 1);
    if (this.#envelope.length > ELEMENT_BYTES_MAX) throw this.#invalid(TOO_LONG);
    this.#enterArray();
    return null;
  }

  #close(): JsonElement | null {
    this.#depth -= 1;
    if (this.#depth > 0) return null;
    const value = this.#parse(this.#envelope + this.#text(this.#from, this.#at + 1));
    this.#from = this.#at + 1;
    const isEnvelope = this.#envelope !== '';
    this.#envelope = '';
    return isEnvelope ? null : this.#number(this.#fromLine, value);
  }

  #endArray(): JsonElement | null {
    this.#depth -= 1;
    const element = this.#endElement(true);
    // Continue the text of the surrounding object, in which this array is empty.
    if (this.#depth > 0) this.#from = this.#at;
    this.#arrayDepth = 0;
    return element;
  }

  #endElement(isLast: boolean): JsonElement | null {
    this.#skipSpace();
    const line = this.#fromLine;
    const isNone = isLast && this.#isArrayEmpty && this.#from === this.#at;
    const element = isNone
      ? null
      : this.#number(line, this.#parse(this.#text(this.#from, this.#at)));
    this.#isArrayEmpty = false;
    this.#from = this.#at + 1;
    this.#fromLine = this.line;
    return element;
  }

  #number(line: number, value: unknown): JsonElement {
    this.#elements += 1;
    const ordinal = line === this.#lastLine ? this.#elements : null;
    this.#lastLine = this.line;
    return { kind: 'value', number: line, ordinal, value };
  }

  #text(from: number, to: number): string {
    if (to - from > ELEMENT_BYTES_MAX) throw this.#invalid(TOO_LONG);
    const bytes = this.#bytes.subarray(from, to);
    if (!isUtf8(bytes)) throw this.#invalid('is not valid UTF-8');
    return bytes.toString('utf8');
  }

  #parse(text: string): unknown {
    const json = parseJson(text);
    if (json.kind === 'invalid') throw this.#invalid(json.reason);
    return json.value;
  }

  #invalid(what: string): InvalidJson {
    this.#skipSpace();
    const byteOffset = this.#offset + this.#from;
    return new InvalidJson(this.#fromLine, `The value that starts at byte ${byteOffset} ${what}.`);
  }

  #skipSpace(): void {
    while (this.#from < this.#at && isSpace(this.#bytes[this.#from] ?? 0)) {
      if (this.#bytes[this.#from] === NEWLINE) this.#fromLine += 1;
      this.#from += 1;
    }
  }
}

const TOO_LONG = `is longer than ${ELEMENT_BYTES_MAX} bytes`;

/** Returns true if a byte is white space in JSON (RFC 8259 §2). */
function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === NEWLINE || byte === 0x0d || byte === 0x09;
}
