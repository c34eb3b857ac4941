import type { Figure, Scenario } from '../scenario.ts';

export interface MeasuredScenario {
  readonly scenario: Scenario;
  readonly figures: readonly Figure[];
}

const COLUMNS = [
  '',
  'what',
  'limit',
  'ours',
  'unit',
  'ratio',
  'spread of limit, ours',
  'CPU µs limit, ours',
  'MB',
  'target',
] as const;

/** Renders the results of a run as a Markdown table. */
export function renderTable(measured: readonly MeasuredScenario[]): string {
  const rows = measured.flatMap(({ scenario, figures }) =>
    figures.map((figure, n) =>
      cellsOf(n === 0 ? `${scenario.target} ${scenario.name}` : '', figure),
    ),
  );
  const all = [[...COLUMNS], ...rows];
  const widths = COLUMNS.map((_, column) =>
    Math.max(3, ...all.map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, n) => cell + ' '.repeat((widths[n] ?? 0) - widthOf(cell))).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(COLUMNS), rule, ...rows.map(line)].join('\n');
}

function cellsOf(name: string, figure: Figure): string[] {
  const { what, unit, notes } = figure;
  return [
    name,
    notes === undefined ? what : `${what} (${notes})`,
    formatNumber(figure.limit),
    formatNumber(figure.ours),
    unit,
    figure.ratio === null ? '' : figure.ratio.toFixed(2),
    pair(figure.limitSpread, figure.oursSpread, (share) => `${Math.round(share * 100)} %`),
    pair(figure.limitCpuMicroseconds, figure.cpuMicroseconds, (us) => us.toFixed(us < 10 ? 2 : 1)),
    figure.memoryMb === null ? '' : String(Math.round(figure.memoryMb)),
    figure.target === null
      ? ''
      : `${figure.target.isMet ? 'met' : 'MISSED'}: ${figure.target.text}`,
  ];
}

function pair(limit: number | null, ours: number | null, show: (value: number) => string): string {
  if (limit === null && ours === null) return '';
  return `${limit === null ? '–' : show(limit)}, ${ours === null ? '–' : show(ours)}`;
}

function formatNumber(value: number | null): string {
  if (value === null) return '';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(2);
}

/** Returns the width of a text in a terminal. */
function widthOf(text: string): number {
  return [...text].length;
}
