import { Type } from 'typebox';
import { shownAs } from '../base/field.ts';
import type { Values } from '../base/object-fields.ts';
import { kept } from '../database/columns.ts';
import { code, id, name } from './entry-fields.ts';

/** A grade of specification 2.3 without `serviceKind`, as in a catalog file. */
export const GRADE_FIELDS = {
  id,
  code: kept('code text', code),
  label: kept('label text', shownAs(Type.String({ description: 'The display name.' }), name)),
  serviceCode: kept('service_code text', code),
  serviceName: kept('service_name text', name),
};

/** An external grading service, or the shop (specification 2.3, Grade). */
export const SERVICE_KINDS = ['third_party', 'internal'] as const;

/**
 * A grade of a card: third-party and shared by all shops, or a shop's condition rank (specification
 * 2.3).
 */
export interface Grade extends Values<typeof GRADE_FIELDS> {
  readonly serviceKind: (typeof SERVICE_KINDS)[number];
}
