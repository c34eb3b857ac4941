import { BYTE_ORDER_MARK, csvLine } from '../../base/csv-line.ts';
import type { Database } from '../../database/database.ts';
import type { Language } from '../../html/language.ts';
import { type AuditEntry, type AuditFilters, listAudit } from '../../shops/audit-log.ts';
import { actorKindName, describeAction, describeDetails } from './entry-text.ts';
import { auditFileMessages } from './messages.ts';

/** About 30 MB. To export older entries, a member filters by time. */
export const EXPORT_ENTRIES_MAX = 100_000;
/** The number of entries in one read, about 60 KB. No connection is held between two reads. */
const BATCH_ENTRIES = 200;

/** Exports the entries as CSV (RFC 4180), newest first, in one chunk for each read. */
export async function* exportCsv(
  db: Database,
  shopId: string,
  filters: AuditFilters,
  language: Language,
): AsyncGenerator<string> {
  yield `${BYTE_ORDER_MARK}${csvLine(auditFileMessages[language].columns)}`;
  for await (const entries of readBatches(db, shopId, filters)) {
    yield entries.map((entry) => csvLine(cellsOf(entry, language))).join('');
  }
}

function cellsOf(entry: AuditEntry, language: Language): readonly string[] {
  const { happenedAt, actor, action, subject, details } = entry;
  const pairs = describeDetails(details, language).map(([label, text]) => `${label}: ${text}`);
  return [
    happenedAt.toISOString(),
    actorKindName(actor.kind, language),
    actor.name ?? '',
    actor.id ?? '',
    action,
    describeAction(entry, language),
    subject.id,
    pairs.join('; '),
  ];
}

/** Exports the raw entries as NDJSON for programs, newest first, in one chunk for each read. */
export async function* exportNdjson(
  db: Database,
  shopId: string,
  filters: AuditFilters,
): AsyncGenerator<string> {
  for await (const entries of readBatches(db, shopId, filters)) {
    yield entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  }
}

async function* readBatches(
  db: Database,
  shopId: string,
  filters: AuditFilters,
): AsyncGenerator<readonly AuditEntry[]> {
  let before: string | null = null;
  for (let read = 0; read < EXPORT_ENTRIES_MAX; read += BATCH_ENTRIES) {
    const page = { ...filters, before, limit: BATCH_ENTRIES };
    const entries: readonly AuditEntry[] = await listAudit(db, shopId, page);
    if (entries.length > 0) yield entries;
    if (entries.length < BATCH_ENTRIES) return;
    before = entries.at(-1)?.id ?? null;
  }
}
