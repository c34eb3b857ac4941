import { type TObject, type TSchema, Type } from 'typebox';
import { responseSchemas } from '../base/object-fields.ts';
import { DateTime, Uuid } from '../base/schema.ts';
import { BoostTargetSchema } from '../catalog/schemas.ts';
import { OFFER_FIELDS, TERM_FIELDS } from './boost-fields.ts';

/** Returns the schema of a boost (spec 2.3). `status` differs between the APIs. */
export function boostSchema(status: TSchema): TObject<Record<string, TSchema>> {
  const offer = { id: Uuid, ...responseSchemas(OFFER_FIELDS), target: BoostTargetSchema };
  const description = 'A card or product that the shop buys above its usual price.';
  return Type.Object(
    { ...offer, status, ...responseSchemas(TERM_FIELDS), updatedAt: DateTime },
    { description },
  );
}
