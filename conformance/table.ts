import { allTests } from './registry.ts';
import { type Rule, rules } from './rules.ts';

/** Where the table stands in README.md. */
const BEGIN = '<!-- Made by `node conformance/write-table.ts` from rules.ts and the registry. -->';
const END = '<!-- End of the table. -->';

/** The table clause → test as Markdown. */
export function renderTable(): string {
  const decisions = allTests.filter(({ basis }) => basis === 'decision');
  return [
    BEGIN,
    '',
    '| Clause | Rule | Tests |',
    '|---|---|---|',
    ...rules.map((rule) => `| ${rule.clause} | ${escape(rule.rule)} | ${proofOf(rule)} |`),
    '',
    'Where the specification says "not shown" these decisions hold; their tests are for who follows them too:',
    '',
    '| Test | What holds |',
    '|---|---|',
    ...decisions.map(({ id, title }) => `| \`${id}\` | ${escape(title)} |`),
    '',
    END,
  ].join('\n');
}

/** A page with the table of this moment in the place of the one that it holds. Throws when it has no place for it. */
export function withTable(page: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error('README.md has no place for the table');
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
