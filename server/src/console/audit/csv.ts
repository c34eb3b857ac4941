/** What spreadsheets take for the beginning of a formula (OWASP: CSV injection). */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;
/** The semicolon as well: where it separates the cells of a list, a spreadsheet would begin a cell behind it. */
const NEEDS_QUOTES = /[",;\r\n]/;

/** One line of CSV with its CRLF (RFC 4180). A cell that a spreadsheet would calculate gets an apostrophe in front. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(text: string): string {
  const calm = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(calm) ? `"${calm.replaceAll('"', '""')}"` : calm;
}
