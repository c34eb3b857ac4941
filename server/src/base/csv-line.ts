/** Tells Excel that a file is UTF-8. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Matches texts that spreadsheets would evaluate as a formula (OWASP: CSV injection). */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
/** Spreadsheets split cells at semicolons in countries with a decimal comma. */
const NEEDS_QUOTES = /[",;\r\n]/;

/** RFC 4180, with CRLF. A cell that a spreadsheet would evaluate gets a leading apostrophe. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const escaped = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}
