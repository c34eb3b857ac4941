import { isUtf8 } from 'node:buffer';
import { ByteWindow } from './byte-window.ts';
import { findElementLine, INDENT_BYTES_MAX } from './element-line.ts';
import { ElementScan } from './element-scan.ts';
import { examineStart, START_BYTES } from './file-start.ts';
import {
  CLOSE_BRACKET,
  COMMA,
  isOfWord,
  isTidy,
  lastNewline,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
} from './json-bytes.ts';
import type { JsonElement } from './json-element.ts';

/** The longest element. Those of the public card databases have up to some tens of kB; it bounds what is held. */
export const ELEMENT_BYTES_MAX = 1_048_576;
/** What may be passed over in search of the end of an element that is too long, or of the next one. */
const SKIPPED_BYTES_MAX = 64 * 1024 * 1024;
/** Bytes that are looked at again after elements that had no end of their own: beyond it the file is of another kind. */
const RESCANNED_BYTES_MAX = 256 * 1024 * 1024;
/** Words and numbers are short; what is longer is of another kind of file. */
const WORD_BYTES_MAX = 1_024;

/** What the cutter stands before. */
type Place =
  /** The first bytes, which may be those of another kind of file. */
  | 'start'
  /** Values of the top level, or elements of an array. */
  | 'between'
  /** The rest of an element. */
  | 'element'
  /** The rest of a word or number. */
  | 'word'
  /** The rest of an object whose array is over. */
  | 'tail'
  /** A line that begins as elements do. */
  | 'lost'
  | 'over';

/** Cuts elements and parses them. State: where it stands, and what is held of the current element. */
export class ElementCutter {
  readonly #window = new ByteWindow();
  readonly #scan = new ElementScan();
  readonly #member: Uint8Array;
  #place: Place = 'start';
  /** Within which array the elements stand. */
  #array: 'none' | 'top' | 'member' = 'none';
  /** The next byte. */
  #at = 0;
  /** The line of the next byte. */
  #line = 1;
  /** How far the next byte is indented when only white space stands before it on its line, else null. */
  #indent: number | null = 0;
  /** How far the last object that began its line was indented. */
  #elementIndent = 0;
  #elementAt = 0;
  #elementLine = 1;
  #elements = 0;
  #isInLine = false;
  /** Bytes of the current element that are not held any more, as it is too long. */
  #dropped = 0;
  #skipped = 0;
  #rescanned = 0;
  /** The last element of an array, until what stands behind it shows that it is whole. */
  #pending: JsonElement | null = null;
  #isPendingTidy = false;
  /** Whether the last step needs more bytes. */
  #isWaiting = false;

  constructor(member: string) {
    this.#member = Buffer.from(JSON.stringify(member));
  }

  get isOver(): boolean {
    return this.#place === 'over';
  }

  *take(chunk: Uint8Array): Generator<JsonElement, void, undefined> {
    const moved = this.#window.add(chunk);
    this.#at -= moved;
    this.#elementAt -= moved;
    this.#scan.at -= moved;
    yield* this.#run(false);
    this.#window.from =
      this.#place === 'element' && this.#dropped === 0 ? this.#elementAt : this.#at;
  }

  *finish(): Generator<JsonElement, void, undefined> {
    yield* this.#run(true);
    yield* this.#passPending();
    if (this.isOver) return;
    if (this.#place === 'lost' && this.#array === 'none') return;
    if (this.#place === 'lost') {
      yield this.#breakOff('After it no further element could be told apart.', 'truncated');
    } else if (this.#array !== 'none') {
      yield this.#breakOff('The file ends before its array does.', 'truncated');
    }
  }

  /** Ends because of the bytes themselves. */
  *giveUp(reason: string): Generator<JsonElement, void, undefined> {
    yield* this.#passPending();
    yield this.#breakOff(reason, 'gzip');
  }

  *#passPending(): Generator<JsonElement, void, undefined> {
    const pending = this.#pending;
    this.#pending = null;
    if (pending !== null) yield pending;
  }

  #breakOff(reason: string, cause: 'gzip' | 'too_large' | 'truncated' | 'not_json'): JsonElement {
    this.#place = 'over';
    return { kind: 'broken', number: this.#line, reason, cause };
  }

  /** Goes on as far as the bytes reach. */
  *#run(isAtEnd: boolean): Generator<JsonElement, void, undefined> {
    for (;;) {
      const found = this.#step(isAtEnd);
      if (found !== null) yield found;
      else if (this.#isWaiting) return;
      if (this.isOver) return;
    }
  }

  /** One step: an element, or null. */
  #step(isAtEnd: boolean): JsonElement | null {
    this.#isWaiting = false;
    switch (this.#place) {
      case 'start':
        return this.#passStart(isAtEnd);
      case 'between':
        return this.#passBetween();
      case 'element':
      case 'tail':
        return this.#goThrough(isAtEnd);
      case 'word':
        return this.#goThroughWord(isAtEnd);
      case 'lost':
        return this.#findLine(isAtEnd);
      case 'over':
        this.#isWaiting = true;
        return null;
    }
  }

  #passStart(isAtEnd: boolean): JsonElement | null {
    const { bytes, to } = this.#window;
    if (to < START_BYTES && !isAtEnd) return this.#wait();
    const { fault, markBytes } = examineStart(bytes.subarray(0, to));
    this.#place = 'between';
    this.#at = markBytes;
    return fault === null ? null : this.#breakOff(fault, 'not_json');
  }

  #passBetween(): JsonElement | null {
    const { bytes, to } = this.#window;
    while (this.#at < to) {
      const byte = bytes[this.#at] ?? 0;
      if (byte === NEWLINE) {
        this.#line += 1;
        this.#indent = 0;
      } else if (byte <= SPACE && byte !== 0) {
        if (this.#indent !== null) this.#indent += 1;
      } else if (byte === COMMA) {
        this.#indent = null;
      } else {
        return this.#pending === null ? this.#begin(byte) : this.#judge(this.#pending, byte);
      }
      this.#at += 1;
    }
    return this.#wait();
  }

  /** With a brace too much half an element would look whole: what stands behind it tells. */
  #judge(element: JsonElement, next: number): JsonElement {
    this.#pending = null;
    const isNext = next === OPEN_BRACE || next === OPEN_BRACKET || isOfWord(next);
    // Or it is the next one that has lost its brace, on a line of its own.
    const isLater = this.#isPendingTidy && this.#indent !== null;
    if (isNext || isLater || next === CLOSE_BRACKET) return element;
    this.#place = 'lost';
    this.#skipped = 0;
    return this.#refuse(UNBALANCED);
  }

  /** Begins with what stands here: an array, its end, or an element. */
  #begin(byte: number): JsonElement | null {
    if (byte === OPEN_BRACKET && this.#array === 'none') {
      this.#array = 'top';
      this.#at += 1;
      this.#indent = null;
      return null;
    }
    if (byte === CLOSE_BRACKET && this.#array !== 'none') {
      if (this.#array === 'member') {
        this.#place = 'tail';
        this.#elementLine = this.#line;
        this.#scan.beginWithinObject(this.#at + 1);
      }
      this.#array = 'none';
      this.#at += 1;
      this.#indent = null;
      return null;
    }
    this.#elementAt = this.#at;
    this.#elementLine = this.#line;
    this.#isInLine = this.#indent === null && this.#elements > 0;
    // A member that has lost the brace before it is indented further.
    if (this.#indent !== null && byte === OPEN_BRACE) this.#elementIndent = this.#indent;
    this.#indent = null;
    this.#dropped = 0;
    this.#elements += 1;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET || byte === QUOTE) {
      this.#scan.begin(this.#window.bytes, this.#at);
      this.#place = 'element';
      return null;
    }
    if (isOfWord(byte)) {
      this.#place = 'word';
      return null;
    }
    return this.#lose('What stands here is no JSON.');
  }

  /** Goes on to the end of the element, or of the object around the array that is over. */
  #goThrough(isAtEnd: boolean): JsonElement | null {
    const { bytes, to } = this.#window;
    const isElement = this.#place === 'element';
    const member = isElement && this.#array === 'none' ? this.#member : null;
    const held = isElement && this.#dropped === 0 ? this.#elementAt : this.#at;
    const stop = this.#scan.run(bytes, held, to, member);
    if (stop === 'unbalanced') {
      return this.#lose(UNBALANCED);
    }
    const length = this.#scan.at - held + this.#dropped;
    if (stop === 'more' && !isAtEnd) {
      if (isElement) return this.#holdOn(length);
      this.#at = this.#scan.at;
      return this.#wait();
    }
    if (stop === 'more') return this.#endWithin();
    this.#at = this.#scan.at;
    this.#line = this.#elementLine + this.#scan.newlines;
    this.#place = 'between';
    if (stop === 'member') {
      this.#array = 'member';
      this.#elements = 0;
      return null;
    }
    if (!isElement) return null;
    return length > ELEMENT_BYTES_MAX ? this.#refuse(TOO_LONG) : this.#parse();
  }

  /** An element that is too long is not held any more; most likely it has lost its end. */
  #holdOn(length: number): JsonElement | null {
    if (length <= ELEMENT_BYTES_MAX) return this.#wait();
    if (this.#dropped === 0 && this.#findLineFrom(this.#elementAt, false) !== null) {
      return this.#lose(TOO_LONG);
    }
    if (length > SKIPPED_BYTES_MAX) {
      return this.#breakOff(`An element is longer than ${SKIPPED_BYTES_MAX} bytes.`, 'too_large');
    }
    this.#dropped = length;
    this.#at = this.#scan.at;
    return this.#wait();
  }

  /** The bytes end within an element: perhaps it is an earlier one that has lost its end. */
  #endWithin(): JsonElement {
    if (this.#place === 'tail') {
      return this.#breakOff('The file ends before the object around its array does.', 'truncated');
    }
    if (this.#dropped === 0 && this.#findLineFrom(this.#elementAt, true) !== null) {
      return this.#lose('It does not end.');
    }
    this.#line = this.#elementLine;
    return this.#breakOff('The file ends within the element that begins there.', 'truncated');
  }

  #goThroughWord(isAtEnd: boolean): JsonElement | null {
    const { bytes, to } = this.#window;
    let end = this.#at;
    while (end < to && isOfWord(bytes[end] ?? 0)) end += 1;
    if (end - this.#at > WORD_BYTES_MAX) return this.#lose('What stands here is no JSON.');
    if (end === to && !isAtEnd) return this.#wait();
    const next = end === to ? COMMA : (bytes[end] ?? 0);
    if (next > SPACE && next !== COMMA && next !== CLOSE_BRACKET) {
      return this.#lose('What stands here is no JSON.');
    }
    this.#at = end;
    this.#place = 'between';
    const parsed = this.#parse();
    // A line of words is one fault, not as many.
    return parsed?.kind === 'refused' && this.#array === 'none'
      ? this.#lose(parsed.reason)
      : parsed;
  }

  /** The element up to the next byte. */
  #parse(): JsonElement | null {
    const content = this.#window.bytes.subarray(this.#elementAt, this.#at);
    if (!isUtf8(content)) return this.#refuse('It is not valid UTF-8.');
    try {
      const value: unknown = JSON.parse(content.toString('utf8'));
      const ordinal = this.#ordinal();
      const element: JsonElement = { kind: 'value', number: this.#elementLine, ordinal, value };
      if (this.#array === 'none') return element;
      this.#pending = element;
      this.#isPendingTidy = isTidy(content);
      return null;
    } catch {
      return this.#refuse('It is not valid JSON.');
    }
  }

  #refuse(reason: string): JsonElement {
    return { kind: 'refused', number: this.#elementLine, ordinal: this.#ordinal(), reason };
  }

  #ordinal(): number | null {
    return this.#isInLine ? this.#elements : null;
  }

  /** Refuses an element whose end cannot be told, and looks for the next from its beginning on. */
  #lose(reason: string): JsonElement {
    if (this.#place === 'tail') {
      this.#elementLine = this.#line;
    } else if (this.#dropped === 0) {
      this.#rescanned += Math.max(0, this.#scan.at - this.#elementAt);
      this.#at = this.#elementAt;
      this.#line = this.#elementLine;
    } else {
      this.#at = this.#scan.at;
      this.#line = this.#elementLine + this.#scan.newlines;
    }
    if (this.#rescanned > RESCANNED_BYTES_MAX) {
      return this.#breakOff('Too many elements have no end.', 'not_json');
    }
    this.#place = 'lost';
    this.#skipped = 0;
    return this.#refuse(reason);
  }

  #findLine(isAtEnd: boolean): JsonElement | null {
    const { bytes, to } = this.#window;
    const found = this.#findLineFrom(this.#at, isAtEnd);
    const begun = lastNewline(bytes, this.#at, to);
    // A line that began longer ago begins no element: nothing of it is held or looked at again.
    const end = found ?? (to - begun > INDENT_BYTES_MAX ? to : begun);
    for (let at = this.#at; at < end; at++) if (bytes[at] === NEWLINE) this.#line += 1;
    this.#skipped += end - this.#at;
    this.#at = end;
    if (found !== null) {
      this.#place = 'between';
      this.#indent = this.#elementIndent;
      return null;
    }
    if (this.#skipped > SKIPPED_BYTES_MAX) {
      const reason = `No element could be told apart for ${SKIPPED_BYTES_MAX} bytes.`;
      return this.#breakOff(reason, 'too_large');
    }
    return this.#wait();
  }

  #findLineFrom(from: number, isAtEnd: boolean): number | null {
    const isInArray = this.#array !== 'none';
    const sought = { indent: this.#elementIndent, isInArray, isAtEnd };
    return findElementLine(this.#window.bytes, from, this.#window.to, sought);
  }

  #wait(): null {
    this.#isWaiting = true;
    return null;
  }
}

const UNBALANCED = 'It is no JSON: a quote, brace or bracket is missing or too much.';
const TOO_LONG = `It is longer than ${ELEMENT_BYTES_MAX} bytes.`;
