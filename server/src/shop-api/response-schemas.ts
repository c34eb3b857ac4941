import { Type, type TSchema } from 'typebox';
import { responseSchemas } from '../base/object-fields.ts';
import { DateTime, orNull, Uuid } from '../base/schema.ts';
import { BOOST_STATUSES } from '../boosts/boost-status.ts';
import { boostSchema } from '../boosts/schemas.ts';
import {
  BoostCard,
  BoostedCard,
  BoostProduct,
  Card,
  Grade,
  Product,
  StockedCard,
} from '../catalog/schemas.ts';
import { Location, Site, unitSchema } from '../inventory/schemas.ts';
import { OWN_UNIT_FIELDS } from '../inventory/unit-fields.ts';

const boostStatus = Type.String({
  description: `The status of the boost. Known values: ${BOOST_STATUSES.join(', ')}. More may be added.`,
});

const boostPurchase = Type.Object({
  id: Uuid,
  quantity: Type.Integer({ minimum: 1 }),
  createdAt: DateTime,
  cancelledAt: orNull(DateTime),
});

const error = Type.Object({
  error: Type.String({ description: 'The error code.' }),
  detail: Type.String({ description: 'An explanation for developers. The wording may change.' }),
});

const batchResult = Type.Object({
  accepted: Type.Integer({
    description: 'The number of accepted lines, including unchanged ones.',
  }),
  rejected: Type.Array(
    Type.Object({
      line: Type.Integer({ minimum: 1 }),
      error: Type.String(),
      detail: Type.String(),
    }),
  ),
});

/**
 * The schemas by their names in the OpenAPI document. They are the same as in the Partner API,
 * except that a unit also has the fields that only its shop may see.
 */
export const responseComponents = {
  Site,
  Location,
  Grade,
  Unit: unitSchema(responseSchemas(OWN_UNIT_FIELDS)),
  Boost: boostSchema(boostStatus),
  BoostPurchase: boostPurchase,
  BoostCard,
  BoostedCard,
  BoostProduct,
  Card,
  Product,
  StockedCard,
  BatchResult: batchResult,
  Error: error,
} satisfies Readonly<Record<string, TSchema>>;
