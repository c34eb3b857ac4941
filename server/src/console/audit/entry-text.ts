import { isScope } from '../../apps/scope.ts';
import type { Language } from '../../html/language.ts';
import type { AuditEntry } from '../../shops/audit-log.ts';
import {
  AUDIT_DETAILS,
  type AuditAction,
  type AuditDetail,
  type AuditDetails,
} from '../../shops/audit.ts';
import { isPermission } from '../../shops/permission.ts';
import { scopeName } from '../parts/scope-text.ts';
import { permissionName } from '../permission-text.ts';
import { actionMessages, actorKindMessages, detailMessages } from './messages.ts';

const SUBJECT_PLACEHOLDER = '{subject}';

/** Splits the sentence at the subject and adds the language's quotation marks. */
export function splitSentence(
  action: AuditAction,
  language: Language,
): { readonly before: string; readonly after: string } {
  const [before = '', after = ''] = actionMessages[language][action].split(SUBJECT_PLACEHOLDER);
  return language === 'ja'
    ? { before: `${before}「`, after: `」${after}` }
    : { before: `${before}“`, after: `”${after}` };
}

type ActorKind = AuditEntry['actor']['kind'];

export function actorKindName(kind: ActorKind, language: Language): string {
  return actorKindMessages[language][kind];
}

/**
 * Returns the actor's name at the time of the entry, or the kind of actor if the actor had no name.
 */
export function actorName({ kind, name }: AuditEntry['actor'], language: Language): string {
  return name === null || name === '' ? actorKindName(kind, language) : name;
}

/**
 * Returns the subject's name at the time of the entry, or the subject's id if there was no name.
 */
export function subjectName({ name, id }: AuditEntry['subject']): string {
  return name === null || name === '' ? id : name;
}

export function describeAction({ action, subject }: AuditEntry, language: Language): string {
  const { before, after } = splitSentence(action, language);
  return `${before}${subjectName(subject)}${after}`;
}

/**
 * Returns the details of an entry as pairs of label and value. A key without a label, written by a
 * newer version, is shown unchanged.
 */
export function describeDetails(
  details: AuditDetails,
  language: Language,
): readonly (readonly [label: string, text: string])[] {
  const labels: ReadonlyMap<string, string> = new Map(
    Object.entries(detailMessages[language].labels),
  );
  // `jsonb` does not keep the order of keys, so sort the details in the order of `AUDIT_DETAILS`.
  const given = Object.entries(details).toSorted(([a], [b]) => placeOf(a) - placeOf(b));
  return given.map(([name, value]) => [labels.get(name) ?? name, textOf(name, value, language)]);
}

function placeOf(name: string): number {
  const place = AUDIT_DETAILS.findIndex((each) => each === name);
  return place === -1 ? AUDIT_DETAILS.length : place;
}

function textOf(name: string, value: AuditDetail, language: Language): string {
  const { yes, no, none, and, reasons, ways } = detailMessages[language];
  if (value === null) return none;
  if (typeof value === 'boolean') return value ? yes : no;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') {
    const known: Readonly<Record<string, string>> =
      name === 'reason' ? reasons : name === 'way' ? ways : {};
    return known[value] ?? value;
  }
  const texts = value.map((each) => displayName(each, language));
  return texts.length === 0 ? none : texts.join(and);
}

function displayName(text: string, language: Language): string {
  if (isPermission(text)) return permissionName(text, language);
  return isScope(text) ? scopeName(text, language) : text;
}
