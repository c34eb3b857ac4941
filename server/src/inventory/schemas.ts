import { type TObject, type TSchema, Type } from 'typebox';
import { responseSchemas } from '../base/object-fields.ts';
import { DateTime, refTo, Uuid } from '../base/schema.ts';
import { UnitItemSchema } from '../catalog/schemas.ts';
import { LOCATION_FIELDS, SITE_FIELDS } from './place-field.ts';
import { SHARED_UNIT_FIELDS } from './unit-fields.ts';

// The schemas of a shop's stock, shared by both APIs.

const instants = { createdAt: DateTime, updatedAt: DateTime };

export const Location = Type.Object({ id: Uuid, ...responseSchemas(LOCATION_FIELDS), ...instants });

export const Site = Type.Object({
  id: Uuid,
  ...responseSchemas(SITE_FIELDS),
  ...instants,
  locations: Type.Array(refTo('Location')),
});

const Photo = Type.Object({
  side: Type.String({ description: '`front` or `back`. The front comes first.' }),
  contentType: Type.String({ description: '`image/jpeg` or `image/webp`, for both sizes.' }),
  width: Type.Integer({ description: 'The width of the large image in pixels.' }),
  height: Type.Integer({ description: 'The height of the large image in pixels.' }),
  etag: Type.String({
    description:
      'The exact value of the `ETag` header for both sizes, including the quotes. It changes when the image changes.',
  }),
  updatedAt: DateTime,
});

/** A unit is one physical piece (decision 0001). `own` are the members that only one API shows. */
export function unitSchema(
  own: Readonly<Record<string, TSchema>>,
): TObject<Record<string, TSchema>> {
  const members = {
    id: Uuid,
    ...responseSchemas(SHARED_UNIT_FIELDS),
    item: UnitItemSchema,
    photos: Type.Array(Photo, { description: 'Photos of the unit, front before back.' }),
    statusChangedAt: DateTime,
    ...instants,
    ...own,
  };
  return Type.Object(members, {
    description: 'One physical piece of stock. New fields may be added.',
  });
}
