/** `reason` continues a sentence that begins with the name of the text, such as "The body". */
export type ParsedJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly reason: string };

export const NOT_JSON = 'is not valid JSON';
/** How much of a repeated name is shown. */
const NAME_LENGTH_MAX = 100;

/**
 * Parses JSON, and refuses an object that has a member twice (RFC 8259 §4). `JSON.parse` would use
 * the last one, which may not be the one that the sender meant.
 */
export function parseJson(text: string): ParsedJson {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'invalid', reason: NOT_JSON };
  }
  const name = findRepeatedName(text)?.slice(0, NAME_LENGTH_MAX);
  if (name === undefined) return { kind: 'value', value };
  return { kind: 'invalid', reason: `has the member ${JSON.stringify(name)} twice in an object` };
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SPACE_AND_COLON = /[ \t\r\n]+:/y;

/** `text` must be valid JSON. A unit of 480 bytes takes 1.5 µs, about as long as `JSON.parse`. */
function findRepeatedName(text: string): string | undefined {
  const openObjects: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === OPEN_BRACE) openObjects.push(new Set());
    else if (code === CLOSE_BRACE) openObjects.pop();
    if (code !== QUOTE) continue;
    const start = at + 1;
    at = endOfString(text, start);
    SPACE_AND_COLON.lastIndex = at + 1;
    if (text.charCodeAt(at + 1) !== COLON && !SPACE_AND_COLON.test(text)) continue;
    const written = text.slice(start, at);
    const name = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
    const names = openObjects.at(-1);
    if (names?.has(name) === true) return name;
    names?.add(name);
  }
  return undefined;
}

/** Returns the index of the closing quote, which an even number of backslashes precedes. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
}
