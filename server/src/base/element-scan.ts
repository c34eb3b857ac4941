import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './json-bytes.ts';

/** Depth to which brackets are told apart; deeper they are only counted. Cards nest about six deep. */
const STACK_MAX = 256;

/** Bytes that mean something outside a string. */
const STRUCTURAL = new Uint8Array(256);
for (const byte of [QUOTE, NEWLINE, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET]) {
  STRUCTURAL[byte] = 1;
}

/**
 * How a scan stopped. `more`: at the end of the bytes. `closed`: behind the element's last byte. `member`: behind the
 * `[` of the member that was looked for. `unbalanced`: at a byte that cannot stand there in any JSON.
 */
export type ScanStop = 'more' | 'closed' | 'member' | 'unbalanced';

/**
 * Finds the end of one JSON value by its brackets and quotes alone; what stands between them is the parser's business.
 * It may stop at the end of any bytes and go on with the next. State: how deep it is, and whether within a string.
 */
export class ElementScan {
  /** Where it stopped: the next byte to look at. */
  at = 0;
  /** Line breaks passed since the beginning of the value. */
  newlines = 0;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  readonly #openers = new Uint8Array(STACK_MAX);

  /** Begins with a value whose first byte is a bracket, a brace or a quote at `at`. */
  begin(bytes: Uint8Array, at: number): void {
    const first = bytes[at] ?? 0;
    this.at = at + 1;
    this.newlines = 0;
    this.#isInString = first === QUOTE;
    this.#isEscaped = false;
    this.#depth = this.#isInString ? 0 : 1;
    this.#openers[0] = first;
  }

  /** Goes on within an object that is open at `at`, to find its end. */
  beginWithinObject(at: number): void {
    this.at = at;
    this.newlines = 0;
    this.#isInString = false;
    this.#isEscaped = false;
    this.#depth = 1;
    this.#openers[0] = OPEN_BRACE;
  }

  /**
   * Goes on up to `to`. `from` is the first byte of the value that is still there, for looks back; `member` is the JSON
   * of a member's name (with its quotes) whose array the scan stops in when it stands in the outermost object.
   */
  run(bytes: Uint8Array, from: number, to: number, member: Uint8Array | null): ScanStop {
    let at = this.at;
    for (;;) {
      if (this.#isInString) {
        const stop = this.#runString(bytes, at, to);
        if (stop !== 'closed') return stop;
        if (this.#depth === 0) return 'closed';
        at = this.at;
      }
      while (at < to && STRUCTURAL[bytes[at] ?? 0] === 0) at += 1;
      this.at = at;
      if (at >= to) return 'more';
      const byte = bytes[at];
      if (byte === NEWLINE) this.newlines += 1;
      else if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (!this.#mayOpen(bytes, from, at)) return 'unbalanced';
        const isMember = byte === OPEN_BRACKET && member !== null && this.#depth === 1;
        if (isMember && this.#openers[0] === OPEN_BRACE && isAfterMember(bytes, from, at, member)) {
          this.at = at + 1;
          return 'member';
        }
        if (this.#depth < STACK_MAX) this.#openers[this.#depth] = byte;
        this.#depth += 1;
      } else {
        // The codes of a bracket and its counterpart differ by two.
        const opener = (byte ?? 0) - 2;
        if (this.#depth <= STACK_MAX && this.#openers[this.#depth - 1] !== opener) {
          return 'unbalanced';
        }
        this.#depth -= 1;
        if (this.#depth === 0) {
          this.at = at + 1;
          return 'closed';
        }
      }
      at += 1;
      this.at = at;
    }
  }

  /** Within a string: JSON has no line break there (RFC 8259 §7), so that a lost quote shows at the line's end. */
  #runString(bytes: Uint8Array, from: number, to: number): ScanStop {
    let at = from;
    if (this.#isEscaped && at < to) {
      this.#isEscaped = false;
      at += 1;
    }
    while (at < to) {
      const byte = bytes[at];
      if (byte === QUOTE) {
        this.#isInString = false;
        this.at = at + 1;
        return 'closed';
      }
      if (byte === NEWLINE) {
        this.at = at;
        return 'unbalanced';
      }
      at += byte === BACKSLASH ? 2 : 1;
    }
    this.#isEscaped = at > to;
    this.at = to;
    return 'more';
  }

  /** An object's member has a colon before its value: another brace there is the next element, after a lost one. */
  #mayOpen(bytes: Uint8Array, from: number, at: number): boolean {
    if (this.#depth > STACK_MAX) return true;
    const before = byteBefore(bytes, from, at);
    if (before === 0) return true;
    const isInObject = this.#openers[this.#depth - 1] === OPEN_BRACE;
    return isInObject ? before === COLON : before === COMMA || before === OPEN_BRACKET;
  }
}

/** The last byte before `at` that is no white space; 0 when it is not there any more. */
function byteBefore(bytes: Uint8Array, from: number, at: number): number {
  let before = at - 1;
  while (before >= from && (bytes[before] ?? 0) <= 0x20) before -= 1;
  return before < from ? 0 : (bytes[before] ?? 0);
}

/** Whether `"name":` stands right before `at`. */
function isAfterMember(bytes: Uint8Array, from: number, at: number, member: Uint8Array): boolean {
  let before = at - 1;
  while (before >= from && (bytes[before] ?? 0) <= 0x20) before -= 1;
  if (bytes[before] !== COLON) return false;
  before -= 1;
  while (before >= from && (bytes[before] ?? 0) <= 0x20) before -= 1;
  const begin = before - member.length + 1;
  if (begin < from) return false;
  return (
    member.every((byte, index) => bytes[begin + index] === byte) && bytes[begin - 1] !== BACKSLASH
  );
}
