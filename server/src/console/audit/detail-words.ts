import type { Language } from '../../pages/language.ts';
import { AUDIT_DETAILS, type AuditDetail, type AuditDetails } from '../../shops/audit.ts';
import { isScope } from '../../apps/scope.ts';
import { isPermission } from '../../shops/permission.ts';
import { scopeName } from '../apps/scope-words.ts';
import { permissionName } from '../permission-words.ts';
import { detailMessages } from './messages.ts';

/** The details of an entry as pairs of words. What a newer version wrote, without words here, stands under its own name. */
export function describeDetails(
  details: AuditDetails,
  language: Language,
): readonly (readonly [label: string, text: string])[] {
  const labels: ReadonlyMap<string, string> = new Map(
    Object.entries(detailMessages[language].labels),
  );
  // The database keeps no order: that of the words is one for all entries.
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
  const texts = value.map((each) => wordOf(each, language));
  return texts.length === 0 ? none : texts.join(and);
}

/** Permissions and scopes by their names on other pages. */
function wordOf(text: string, language: Language): string {
  if (isPermission(text)) return permissionName(text, language);
  return isScope(text) ? scopeName(text, language) : text;
}
