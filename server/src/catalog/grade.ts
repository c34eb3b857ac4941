import { Type } from 'typebox';
import { withResponseSchema } from '../base/field.ts';
import type { Values } from '../base/object-fields.ts';
import { storedField } from '../database/columns.ts';
import { code, id, name } from './entry-fields.ts';

/** The fields of a grade in a catalog file: those of spec 2.3 without `serviceKind`. */
export const GRADE_FIELDS = {
  id,
  code: storedField('code text', code),
  label: storedField(
    'label text',
    withResponseSchema(Type.String({ description: 'The display name.' }), name),
  ),
  serviceCode: storedField('service_code text', code),
  serviceName: storedField('service_name text', name),
};

/** A grade is assigned by an external grading service or by the shop (spec 2.3, Grade). */
export const SERVICE_KINDS = ['third_party', 'internal'] as const;

export interface Grade extends Values<typeof GRADE_FIELDS> {
  readonly serviceKind: (typeof SERVICE_KINDS)[number];
}
