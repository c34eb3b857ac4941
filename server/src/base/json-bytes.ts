/** A line feed; with a carriage return before it, that is white space. */
export const NEWLINE = 0x0a;
/** The last of white space; lower bytes are no part of JSON but white space. */
export const SPACE = 0x20;
/** `"` */
export const QUOTE = 0x22;
/** `,` */
export const COMMA = 0x2c;
/** `:` */
export const COLON = 0x3a;
/** `[` */
export const OPEN_BRACKET = 0x5b;
/** `\` */
export const BACKSLASH = 0x5c;
/** `]` */
export const CLOSE_BRACKET = 0x5d;
/** `{` */
export const OPEN_BRACE = 0x7b;
/** `}` */
export const CLOSE_BRACE = 0x7d;

/** Where the last line begins that has not ended yet; what stands before is done with. */
export function lastNewline(bytes: Buffer, from: number, to: number): number {
  const found = bytes.subarray(from, to).lastIndexOf(NEWLINE);
  return found === -1 ? to : from + found;
}

/** The end of an array stands further left than its elements, or at the margin as they do. */
export function isOutside(indent: number, elementIndent: number): boolean {
  return indent < elementIndent || (indent === 0 && elementIndent === 0);
}

/** White space that may stand before the first byte of a line. */
export function isIndent(byte: number): boolean {
  return byte === SPACE || byte === 0x09 || byte === 0x0d;
}

/** Letters, digits and the signs of numbers: what `true`, `null` and `-1.5e+3` are made of. */
export function isOfWord(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2b ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte >= 0x80
  );
}

/** Whether an element stands on one line, or its last byte is the first of its line, as people and programs write them. */
export function isTidy(element: Buffer): boolean {
  const last = element.lastIndexOf(NEWLINE);
  return last === -1 || element.subarray(last + 1, -1).every((byte) => isIndent(byte));
}
