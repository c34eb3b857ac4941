import type { Contract } from './contract.ts';
import type { Journal } from './journal.ts';

const SLOWEST_MAX = 8;

/** Renders the tables that are printed at the end of a run. */
export function renderReport(journal: Journal): string {
  const lines: string[] = [];
  for (const [area, labels] of journal.counts) {
    const total = [...labels.values()].reduce((sum, { requests }) => sum + requests, 0);
    lines.push(`${area}: ${total} requests`);
    for (const [label, { requests, statuses }] of [...labels].toSorted(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      const shown = [...statuses]
        .toSorted(([a], [b]) => a - b)
        .map(([status, count]) => `${status}×${count}`)
        .join(' ');
      lines.push(`  ${label.padEnd(58)} ${String(requests).padStart(6)}  ${shown}`);
    }
  }
  const slowest = [...journal.counts]
    .filter(([area]) => area !== 'raw')
    .flatMap(([area, labels]) =>
      [...labels].map(([label, { slowestMs }]) => ({ name: `${area} ${label}`, slowestMs })),
    )
    .toSorted((a, b) => b.slowestMs - a.slowestMs)
    .slice(0, SLOWEST_MAX);
  lines.push('slowest:');
  for (const { name, slowestMs } of slowest) lines.push(`  ${slowestMs.toFixed(0)} ms  ${name}`);
  return lines.join('\n');
}

/** Returns the operations of a document without a 2xx answer in this run. */
export function findUnreached(journal: Journal, area: string, { operations }: Contract): string[] {
  const labels = journal.counts.get(area);
  return operations
    .filter(({ id }) => {
      const statuses = labels?.get(id)?.statuses ?? new Map<number, number>();
      return ![...statuses.keys()].some((status) => status >= 200 && status < 300);
    })
    .map(({ id }) => `${area} ${id}`);
}

/** Returns the number of requests of a run. */
export function countRequests(journal: Journal): number {
  return [...journal.counts.values()]
    .flatMap((labels) => [...labels.values()])
    .reduce((sum, { requests }) => sum + requests, 0);
}
