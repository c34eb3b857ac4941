import { allTests } from './registry.ts';
import { type Rule, rules } from './rules.ts';

/** Marks the start of the table in README.md. */
const BEGIN = '<!-- Made by `node conformance/write-table.ts` from rules.ts and the registry. -->';
const END = '<!-- End of the table. -->';

/** Renders the table of clauses and their tests as Markdown. */
export function renderTable(): string {
  const decisions = allTests.filter(({ basis }) => basis === 'decision');
  return [
    BEGIN,
    '',
    '| Clause | Rule | Tests |',
    '|---|---|---|',
    ...rules.map((rule) => `| ${rule.clause} | ${escape(rule.rule)} | ${proofOf(rule)} |`),
    '',
    'Where the specification says "not shown", these decisions apply. The tests below are for implementations that follow these decisions too:',
    '',
    '| Test | Rule |',
    '|---|---|',
    ...decisions.map(({ id, title }) => `| \`${id}\` | ${escape(title)} |`),
    '',
    END,
  ].join('\n');
}

/** Replaces the table of a page. Throws when the page has no markers. */
export function withTable(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('README.md has no markers for the table');
  return `${page.slice(0, begin)}${renderTable()}${page.slice(end + END.length)}`;
}

function proofOf({ tests, why }: Rule): string {
  const names = tests.map((id) => `\`${id}\``).join(' ');
  if (why === undefined) return names;
  return names === '' ? `none: ${escape(why)}` : `${names} (${escape(why)})`;
}

function escape(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
