import { CLOSE_BRACKET, isIndent, isOutside, NEWLINE, OPEN_BRACE } from './json-bytes.ts';

/** The furthest that an element is indented; what follows as much white space begins no line of an element. */
export const INDENT_BYTES_MAX = 1_024;

/** What tells a line on which an element begins. */
export interface SoughtLine {
  /** How far elements are indented, in bytes. */
  readonly indent: number;
  /** Whether the line may also end the array that the elements stand in. */
  readonly isInArray: boolean;
  /** Whether no bytes come after these. */
  readonly isAtEnd: boolean;
}

/** Where the first line from `from` on begins as elements do, or ends their array; null when none does so far. */
export function findElementLine(
  bytes: Buffer,
  from: number,
  to: number,
  { indent: elementIndent, isInArray, isAtEnd }: SoughtLine,
): number | null {
  for (let at = bytes.indexOf(NEWLINE, from); at !== -1 && at < to;) {
    let first = at + 1;
    while (first < to && isIndent(bytes[first] ?? 0)) first += 1;
    const indent = first - at - 1;
    if (indent < INDENT_BYTES_MAX) {
      if (first >= to && !isAtEnd) return null;
      const byte = first < to ? bytes[first] : undefined;
      if (byte === OPEN_BRACE && indent === elementIndent) return first;
      if (byte === CLOSE_BRACKET && isInArray && isOutside(indent, elementIndent)) return first;
    }
    at = bytes.indexOf(NEWLINE, first);
  }
  return null;
}
