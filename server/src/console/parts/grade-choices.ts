import type { Grade } from '../../catalog/grade.ts';
import { listGrades } from '../../catalog/shop-grade.ts';
import type { Queryable } from '../../database/database.ts';
import { gradeText } from './item-text.ts';
import type { Choice } from './field.ts';

/** A shop has a few hundred at most: its own grades and those of all grading services. */
const GRADES_MAX = 1_000;

/** The shop's own grades come first, then those of the grading services by name. */
export async function gradeChoices(db: Queryable, shopId: string): Promise<readonly Choice[]> {
  const grades = await listSortedGrades(db, shopId);
  return grades.map((grade) => ({
    value: grade.id,
    label: gradeText(grade),
    kind: grade.serviceKind,
  }));
}

export async function listSortedGrades(db: Queryable, shopId: string): Promise<readonly Grade[]> {
  const grades = await listGrades(db, shopId, { afterId: null, limit: GRADES_MAX });
  return grades.toSorted(compareGrades);
}

function compareGrades(a: Grade, b: Grade): number {
  if (a.serviceKind !== b.serviceKind) return a.serviceKind === 'internal' ? -1 : 1;
  const byLabel = a.label.localeCompare(b.label, undefined, { numeric: true });
  // A shop's best own grade, A, comes first. A grading service's best has the highest number.
  return a.serviceKind === 'internal'
    ? byLabel
    : a.serviceName.localeCompare(b.serviceName) || -byLabel;
}
