import { Type } from 'typebox';
import { shownAs } from '../base/field.ts';
import type { Values } from '../base/object-fields.ts';
import { kept } from '../database/columns.ts';
import { code, id, name } from './entry-fields.ts';

/** What a grade of an external service is in a catalog file: a grade of specification 2.3 but for who graded. */
export const GRADE_FIELDS = {
  id,
  code: kept('code text', code),
  label: kept('label text', shownAs(Type.String({ description: 'Its display name.' }), name)),
  serviceCode: kept('service_code text', code),
  serviceName: kept('service_name text', name),
};

/** Who graded: an external grading service, or the shop itself (specification 2.3, Grade). */
export const SERVICE_KINDS = ['third_party', 'internal'] as const;

/** A grade of a card, third-party (shared by all shops) or a shop's own condition rank (specification 2.3). */
export interface Grade extends Values<typeof GRADE_FIELDS> {
  readonly serviceKind: (typeof SERVICE_KINDS)[number];
}
