import { Type } from 'typebox';
import { withResponseSchema } from '../base/field.ts';
import type { Values } from '../base/object-fields.ts';
import { stored } from '../database/columns.ts';
import { code, id, name } from './entry-fields.ts';

/** Spec 2.3 without `serviceKind`, as in a catalog file. */
export const GRADE_FIELDS = {
  id,
  code: stored('code text', code),
  label: stored(
    'label text',
    withResponseSchema(Type.String({ description: 'The display name.' }), name),
  ),
  serviceCode: stored('service_code text', code),
  serviceName: stored('service_name text', name),
};

/** An external grading service, or the shop (spec 2.3, Grade). */
export const SERVICE_KINDS = ['third_party', 'internal'] as const;

/** Third-party and shared by all shops, or a shop's condition rank (spec 2.3). */
export interface Grade extends Values<typeof GRADE_FIELDS> {
  readonly serviceKind: (typeof SERVICE_KINDS)[number];
}
