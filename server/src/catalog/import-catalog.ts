import type { ImportResult } from '../import/import-report.ts';
import type { NdjsonLine } from '../import/ndjson.ts';
import type { Database } from '../database/database.ts';
import { readCatalogLine } from './catalog-line.ts';
import { type EntryLine, importEntries, type ImportEntriesOptions } from './import-entries.ts';

export async function importCatalog(
  db: Database,
  lines: AsyncIterable<NdjsonLine>,
  options: ImportEntriesOptions,
): Promise<ImportResult> {
  const { accepted, rejected, rejectedCount } = await importEntries(
    db,
    readCatalogLines(lines),
    options,
  );
  return { accepted, rejected, rejectedCount };
}

export async function* readCatalogLines(
  lines: AsyncIterable<NdjsonLine>,
): AsyncGenerator<EntryLine, void> {
  for await (const line of lines) {
    const { number } = line;
    if (line.kind === 'value') {
      const reading = readCatalogLine(line.value);
      if (reading.ok) yield { kind: 'entries', number, entries: [reading.value] };
      else yield { kind: 'refused', number, reason: reading.problem };
    } else {
      yield { kind: line.kind, number, reason: line.reason };
    }
  }
}
