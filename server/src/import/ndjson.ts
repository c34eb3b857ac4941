import { parseJson } from '../base/json.ts';
import { describeGunzipError, gunzipIfCompressed } from './gunzip.ts';

/** After a `refused` line, others may be valid. After a `broken` line, nothing can be read. */
export type NdjsonLine =
  | { readonly kind: 'value'; readonly number: number; readonly value: unknown }
  | { readonly kind: 'refused'; readonly number: number; readonly reason: string }
  | {
      readonly kind: 'broken';
      readonly number: number;
      readonly reason: string;
      readonly cause: 'gzip' | 'too_large';
    };

/** The limits of a file, all inclusive. */
export interface NdjsonLimits {
  readonly bytesMax?: number;
  /** Does not count blank lines. Including them, `ALL_LINES_FACTOR` times as many are allowed. */
  readonly linesMax?: number;
  /** If true, only the limits are checked. Lines need not be JSON, and values are undefined. */
  readonly isCountOnly?: boolean;
}

/** Blank lines are limited too: millions of them compress into a few kB, and each takes work. */
const ALL_LINES_FACTOR = 10;

/** The limit of a line without its break, to save memory. A unit or card has some hundred bytes. */
export const LINE_BYTES_MAX = 16_384;
/** A line that is too long is skipped up to this length. Beyond it the data is not NDJSON. */
const SKIPPED_BYTES_MAX = 64 * 1024 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const DELETE = 0x7f;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads NDJSON, plain or gzip (RFC 1952 §2.3.1). Lines are numbered from 1, including blank lines.
 * A leading byte order mark, CRLF and a missing final line break are accepted. One line and a chunk
 * (for gzip, a step of `gunzipIfCompressed`) are in memory. Errors of the source are thrown.
 */
export async function* readNdjson(
  bytes: AsyncIterable<Uint8Array>,
  limits: NdjsonLimits = {},
): AsyncGenerator<NdjsonLine, void, undefined> {
  const reader = new LineReader(limits);
  try {
    for await (const chunk of gunzipIfCompressed(bytes)) {
      yield* reader.push(chunk);
      if (reader.isDone) return;
    }
  } catch (error) {
    const reason = describeGunzipError(error);
    if (reason === null) throw error;
    yield reader.stop(reason, 'gzip');
    return;
  }
  yield* reader.finish();
}

class LineReader {
  isDone = false;
  readonly #bytesMax: number;
  readonly #linesMax: number;
  readonly #allLinesMax: number;
  readonly #isCountOnly: boolean;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #pieces: Uint8Array[] = [];
  #lineBytes = 0;
  #allBytes = 0;
  #lines = 0;
  #number = 1;

  constructor(limits: NdjsonLimits) {
    this.#bytesMax = limits.bytesMax ?? Number.MAX_SAFE_INTEGER;
    this.#linesMax = limits.linesMax ?? Number.MAX_SAFE_INTEGER;
    this.#allLinesMax = this.#linesMax * ALL_LINES_FACTOR;
    this.#isCountOnly = limits.isCountOnly ?? false;
  }

  *push(chunk: Uint8Array): Generator<NdjsonLine, void, undefined> {
    let from = 0;
    while (from < chunk.length && !this.isDone) {
      const newline = chunk[from] === NEWLINE ? from : chunk.indexOf(NEWLINE, from);
      const to = newline === -1 ? chunk.length : newline;
      const taken = to - from + (newline === -1 ? 0 : 1);
      this.#allBytes += taken;
      if (this.#allBytes > this.#bytesMax) {
        yield this.stop(`The body is longer than ${this.#bytesMax} bytes.`, 'too_large');
        return;
      }
      if (newline === from && this.#passEmptyLine()) {
        from += 1;
        continue;
      }
      this.#hold(chunk.subarray(from, to));
      if (this.#lineBytes > SKIPPED_BYTES_MAX) {
        yield this.stop(`The line is longer than ${SKIPPED_BYTES_MAX} bytes.`, 'too_large');
        return;
      }
      if (newline !== -1) yield* this.#endLine();
      from += taken;
    }
  }

  *finish(): Generator<NdjsonLine, void, undefined> {
    if (!this.isDone && this.#lineBytes > 0) yield* this.#endLine();
  }

  stop(reason: string, cause: 'gzip' | 'too_large'): NdjsonLine {
    this.isDone = true;
    return { kind: 'broken', number: this.#number, reason, cause };
  }

  #passEmptyLine(): boolean {
    if (this.#lineBytes > 0 || this.#number > this.#allLinesMax) return false;
    this.#number += 1;
    return true;
  }

  /** Stores a little more than the limit, so that a line of maximum length may end with `\r`. */
  #hold(piece: Uint8Array): void {
    if (this.#lineBytes <= LINE_BYTES_MAX + 1 && piece.length > 0) {
      this.#pieces.push(piece.subarray(0, LINE_BYTES_MAX + 2 - this.#lineBytes));
    }
    this.#lineBytes += piece.length;
  }

  *#endLine(): Generator<NdjsonLine, void, undefined> {
    const held = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    const number = this.#number;
    const length = this.#lineBytes;
    this.#pieces = [];
    this.#lineBytes = 0;
    if (number > this.#allLinesMax) {
      const reason = `The body has more than ${this.#allLinesMax} lines, including blank ones.`;
      yield this.stop(reason, 'too_large');
      return;
    }
    const line = this.#parse(number, held ?? new Uint8Array(), length);
    if (line !== null) {
      this.#lines += 1;
      if (this.#lines > this.#linesMax) {
        yield this.stop(`The body has more than ${this.#linesMax} lines.`, 'too_large');
        return;
      }
      yield line;
    }
    this.#number += 1;
  }

  #parse(number: number, held: Uint8Array, length: number): NdjsonLine | null {
    const isReturned = length === held.length && held.at(-1) === RETURN;
    const content = isReturned ? held.subarray(0, -1) : held;
    if (length - (isReturned ? 1 : 0) > LINE_BYTES_MAX) {
      return {
        kind: 'refused',
        number,
        reason: `The line is longer than ${LINE_BYTES_MAX} bytes.`,
      };
    }
    if (this.#isCountOnly && isVisible(content[0])) {
      return { kind: 'value', number, value: undefined };
    }
    if (isBlank(content)) return null;
    let text: string;
    try {
      text = this.#decoder.decode(content);
    } catch {
      return { kind: 'refused', number, reason: 'The line is not valid UTF-8.' };
    }
    if (number === 1 && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1);
    if (text.trim() === '') return null;
    const json = parseJson(text);
    if (json.kind === 'value') return { kind: 'value', number, value: json.value };
    return { kind: 'refused', number, reason: `The line ${json.reason}.` };
  }
}

/** Checks bytes, because decoding millions of blank lines is slow. */
function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === SPACE || byte === TAB || byte === RETURN);
}

/** Returns true for a visible ASCII byte, which proves that its line is not blank. */
function isVisible(byte: number | undefined): boolean {
  return byte !== undefined && byte > SPACE && byte < DELETE;
}
