import type { Grade } from '../../catalog/grade.ts';
import { listGrades } from '../../catalog/shop-grade.ts';
import type { Queryable } from '../../database/database.ts';
import { gradeText } from './item-text.ts';
import type { Choice } from './field.ts';

/** A shop's own grades and those of all grading services are some hundreds. */
const GRADES_MAX = 1_000;

/** The grades a shop can choose from: its own first, then each service's by name. */
export async function gradeChoices(db: Queryable, shopId: string): Promise<readonly Choice[]> {
  const grades = await listGrades(db, shopId, { afterId: null, limit: GRADES_MAX });
  return grades
    .toSorted(compareGrades)
    .map((grade) => ({ value: grade.id, label: gradeText(grade) }));
}

function compareGrades(a: Grade, b: Grade): number {
  if (a.serviceKind !== b.serviceKind) return a.serviceKind === 'internal' ? -1 : 1;
  const byLabel = a.label.localeCompare(b.label, undefined, { numeric: true });
  // A shop's ranks start at A; a service's numbers are best at the highest.
  return a.serviceKind === 'internal'
    ? byLabel
    : a.serviceName.localeCompare(b.serviceName) || -byLabel;
}
