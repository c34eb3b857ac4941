import { type TObject, type TSchema, Type } from 'typebox';
import { shownMembers } from '../base/object-fields.ts';
import { DateTime, Uuid } from '../base/schema.ts';
import { TARGET } from '../catalog/schemas.ts';
import { BOOST_FIELDS } from './boost-fields.ts';

/** A boost as an API answers it (specification 2.3). `status`: the states that the API shows. */
export function boostSchema(status: TSchema): TObject<Record<string, TSchema>> {
  const members = { ...shownMembers(BOOST_FIELDS), target: TARGET, status, updatedAt: DateTime };
  const description = 'A card or product that the shop buys above its usual price.';
  return Type.Object({ id: Uuid, ...members }, { description });
}
