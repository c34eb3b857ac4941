import {
  type ImportResult,
  REPORTED_LINES_MAX,
  type RejectedLine,
} from '../import/import-report.ts';
import { type FormatName, FORMAT_NAMES } from '../catalog/formats/format.ts';
import type { EntryCounts, ImportEntriesResult } from '../catalog/import-entries.ts';
import type { CommandResult } from './command.ts';

/** Where reading a file stopped, and why. */
export interface ReadFailure {
  /**
   * The line at which reading stopped. If the line contains several elements, some of them may have
   * been read.
   */
  readonly number: number;
  readonly reason: string;
}

export interface ImportedFile {
  readonly name: string;
  readonly result: ImportResult & Partial<Pick<ImportEntriesResult, 'entries' | 'passedOver'>>;
  readonly readFailure: ReadFailure | null;
}

/** A rejected line. `file` is present only if there are several files. */
interface Rejected extends RejectedLine {
  readonly file?: string;
}

/**
 * Prints at most `REPORTED_LINES_MAX` rejected lines and returns the totals of an import. For
 * public formats, it also reports skipped elements and changed entries.
 * @param form the format of a catalog import; null for the import of a shop's inventory
 */
export function summariseImport(
  form: FormatName | null,
  files: readonly ImportedFile[],
  tell: (line: string) => void,
): CommandResult {
  const isOne = files.length === 1;
  const isOwn = form === 'cardport' || form === null;
  const accepted = sum(files, ({ result }) => result.accepted);
  const rejectedCount = sum(files, ({ result }) => result.rejectedCount);
  const rejected: readonly Rejected[] = files
    .flatMap(({ name, result }) =>
      result.rejected.map((line) => (isOne ? line : { ...line, file: name })),
    )
    .slice(0, REPORTED_LINES_MAX);
  const unnamed = rejectedCount - rejected.length;
  for (const { file, line, error, detail } of rejected) {
    tell(`${file === undefined ? '' : `${file} `}line ${line}: ${error}: ${detail}`);
  }
  if (unnamed > 0) tell(`and ${unnamed} more`);
  const passedOver = sumReasons(files);
  for (const { reason, count } of passedOver) tell(`skipped ${count}: ${reason}`);
  const entries = sumEntries(files);
  const text = isOwn
    ? `Accepted ${accepted} ${accepted === 1 ? 'line' : 'lines'}${rejectedCount === 0 ? '' : `, rejected ${rejectedCount}`}.`
    : renderText(
        accepted,
        rejectedCount,
        entries,
        sum(passedOver, ({ count }) => count),
      );
  const more = isOwn ? {} : { passedOver, entries };
  const broken = files.flatMap(({ name, readFailure }) =>
    readFailure === null ? [] : [{ name, ...readFailure }],
  );
  const ends = broken.map(({ name, number, reason }) => ({
    line: number,
    error: 'invalid_request',
    detail: reason,
    ...(isOne ? {} : { file: name }),
  }));
  const all = rejectedCount + ends.length;
  if (form !== null && accepted === 0 && all > 0) {
    tell(
      `nothing was accepted. If the format is not ${form}, choose another with --form: ${FORMAT_NAMES.join(', ')}`,
    );
  }
  const json = {
    accepted,
    rejected: [...rejected, ...ends],
    ...(unnamed > 0 ? { rejectedCount: all } : {}),
    ...more,
  };
  if (broken.length > 0) {
    const reason = broken
      .map((readFailure) =>
        describeReadFailure(isOne ? 'the input' : readFailure.name, readFailure),
      )
      .join(' ');
    return { kind: 'failed', code: 'unreadable_input', reason, report: { json, text } };
  }
  return { kind: rejectedCount === 0 ? 'done' : 'some_rejected', json, text };
}

function renderText(
  accepted: number,
  rejectedCount: number,
  { added, changed, unchanged }: EntryCounts,
  passedOverCount: number,
): string {
  return [
    `Accepted ${accepted} ${accepted === 1 ? 'element' : 'elements'}`,
    ...(passedOverCount === 0 ? [] : [`, skipped ${passedOverCount}`]),
    ...(rejectedCount === 0 ? [] : [`, rejected ${rejectedCount}`]),
    `. Cards: ${added} new, ${changed} changed, ${unchanged} unchanged.`,
  ].join('');
}

function sum<T>(all: readonly T[], count: (each: T) => number): number {
  return all.reduce((total, each) => total + count(each), 0);
}

function sumEntries(files: readonly ImportedFile[]): EntryCounts {
  return {
    added: sum(files, ({ result }) => result.entries?.added ?? 0),
    changed: sum(files, ({ result }) => result.entries?.changed ?? 0),
    unchanged: sum(files, ({ result }) => result.entries?.unchanged ?? 0),
  };
}

function sumReasons(
  files: readonly ImportedFile[],
): readonly { readonly reason: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { result } of files) {
    for (const [reason, count] of result.passedOver ?? []) {
      counts.set(reason, (counts.get(reason) ?? 0) + count);
    }
  }
  return [...counts].map(([reason, count]) => ({ reason, count }));
}

function describeReadFailure(input: string, { number, reason }: ReadFailure): string {
  return (
    `${input} could not be read completely: reading stopped at line ${number}. ` +
    `${reason} Everything before that line was imported. Fix the file and import it again.`
  );
}
