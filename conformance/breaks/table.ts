import type { Break } from './break.ts';

/** Renders the breaks as a Markdown table, sorted by clause. */
export function renderTable(breaks: readonly Break[]): string {
  const rows = breaks
    .toSorted((a, b) => compareClauses(a.clause, b.clause))
    .map(({ clause, name, wrong, caughtBy }) => {
      const tests = caughtBy.map((id) => `\`${id}\``).join(', ');
      return `| ${clause} | \`${name}\` | ${wrong} | ${tests} |\n`;
    });
  return `| Clause | Break | The server … | Failing tests |\n|---|---|---|---|\n${rows.join('')}`;
}

/** Compares clauses number by number, and sorts decisions after the specification. */
function compareClauses(a: string, b: string): number {
  const [left, right] = [a, b].map((clause) => [
    clause.startsWith('D') ? 1 : 0,
    ...clause.replace('D', '').split('.').map(Number),
  ]);
  for (let at = 0; at < 3; at++) {
    const difference = (left?.[at] ?? -1) - (right?.[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

const BEGIN = '<!-- breaks: made by `node conformance/breaks/write-table.ts` -->\n';
const END = '<!-- end -->';

/** Replaces the table between the two markers of a page. */
export function withTable(page: string, breaks: readonly Break[]): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('the page has no markers for the table');
  const before = page.slice(0, begin + BEGIN.length);
  return `${before}\n${breaks.length} breaks.\n\n${renderTable(breaks)}\n${page.slice(end)}`;
}
