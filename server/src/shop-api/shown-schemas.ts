import { Type, type TSchema } from 'typebox';
import { BOOST_STATUSES } from '../boosts/boost-status.ts';
import { LOCATION_KINDS } from '../inventory/location.ts';
import { SITE_KINDS } from '../inventory/site.ts';
import { UNIT_STATUSES } from '../inventory/unit-status.ts';

// What the Shop API shows: the objects of the Partner API, units with `costMinor`. Sets that may grow name their values
// in words, so that a strict client does not break on a new one.

const id = Type.String({ format: 'uuid' });
const instant = Type.String({ format: 'date-time', description: 'UTC with milliseconds.' });
const text = Type.String();
// Prices have up to 13 digits.
const amount = Type.Integer({ format: 'int64' });
// `additionalProperties`, which every generator knows; `Type.Record` says the same by a pattern.
const texts = Type.Unsafe({ type: 'object', additionalProperties: { type: 'string' } });

function orNull(schema: TSchema): TSchema {
  return Type.Union([schema, Type.Null()]);
}

function openSet(values: readonly string[]): TSchema {
  return Type.String({ description: `An open set: ${values.join(', ')}.` });
}

const location = Type.Object({
  id,
  siteId: id,
  code: text,
  name: text,
  kind: openSet(LOCATION_KINDS),
  isActive: Type.Boolean(),
  createdAt: instant,
  updatedAt: instant,
});

const site = Type.Object({
  id,
  code: text,
  name: text,
  kind: openSet(SITE_KINDS),
  countryCode: text,
  timezone: text,
  isActive: Type.Boolean(),
  createdAt: instant,
  updatedAt: instant,
  locations: Type.Array(Type.Unsafe({ $ref: '#/components/schemas/Location' })),
});

const grade = Type.Object({
  id,
  code: text,
  label: text,
  serviceCode: text,
  serviceName: text,
  serviceKind: openSet(['third_party', 'internal']),
});

const game = Type.Object({ id, code: text, name: text });

const card = Type.Object({
  id,
  name: text,
  localizedNames: texts,
  cardNumber: orNull(text),
  setTotalRaw: orNull(text),
  janCode: orNull(text),
  languageCode: text,
  variant: orNull(text),
  finish: orNull(text),
  imageUrl: orNull(Type.String({ format: 'uri' })),
  rarity: orNull(Type.Object({ code: text, name: text })),
  set: orNull(Type.Object({ id, code: text, name: text, nameEn: orNull(text) })),
  game,
});

const product = Type.Object({
  id,
  name: text,
  productKind: openSet(['box', 'pack', 'deck']),
  janCode: orNull(text),
  languageCode: text,
  imageUrl: orNull(Type.String({ format: 'uri' })),
  game,
});

const unit = Type.Object({
  id,
  status: openSet(UNIT_STATUSES),
  siteId: id,
  locationId: orNull(id),
  item: Type.Union([
    Type.Object({
      kind: Type.Literal('card'),
      card: Type.Unsafe({ $ref: '#/components/schemas/Card' }),
      grade: orNull(Type.Unsafe({ $ref: '#/components/schemas/Grade' })),
    }),
    Type.Object({
      kind: Type.Literal('product'),
      product: Type.Unsafe({ $ref: '#/components/schemas/Product' }),
    }),
  ]),
  certNumber: orNull(text),
  serialNumber: orNull(text),
  ownership: openSet(['owned', 'consigned']),
  priceMinor: orNull(amount),
  currency: text,
  photos: Type.Array(
    Type.Object({
      side: text,
      contentType: text,
      width: Type.Integer(),
      height: Type.Integer(),
      etag: text,
      updatedAt: instant,
    }),
  ),
  acquiredAt: orNull(instant),
  statusChangedAt: instant,
  createdAt: instant,
  updatedAt: instant,
  costMinor: orNull(amount),
});

const boostCard = Type.Object({
  id,
  name: text,
  localizedNames: texts,
  cardNumber: orNull(text),
  setTotalRaw: orNull(text),
  languageCode: text,
  imageUrl: orNull(Type.String({ format: 'uri' })),
  rarity: orNull(Type.Object({ code: text, name: text })),
  set: orNull(Type.Object({ id, code: text, name: text })),
  game,
});

const boost = Type.Object({
  id,
  target: Type.Union([
    Type.Object({
      kind: Type.Literal('card'),
      card: boostCard,
      grade: orNull(Type.Unsafe({ $ref: '#/components/schemas/Grade' })),
    }),
    Type.Object({
      kind: Type.Literal('product'),
      product: Type.Unsafe({ $ref: '#/components/schemas/Product' }),
    }),
  ]),
  priceMinor: amount,
  currency: text,
  remainingQuantity: orNull(Type.Integer({ minimum: 0 })),
  status: openSet(BOOST_STATUSES),
  startsAt: orNull(instant),
  endsAt: orNull(instant),
  note: orNull(text),
  updatedAt: instant,
});

const boostPurchase = Type.Object({
  id,
  quantity: Type.Integer({ minimum: 1 }),
  createdAt: instant,
  cancelledAt: orNull(instant),
});

const error = Type.Object({
  error: Type.String({ description: 'A code of the error table.' }),
  detail: Type.String({ description: 'A sentence for the developer. Its wording may change.' }),
});

const batchResult = Type.Object({
  accepted: Type.Integer({ description: 'Lines taken, unchanged ones included.' }),
  rejected: Type.Array(
    Type.Object({
      line: Type.Integer({ minimum: 1 }),
      error: text,
      detail: text,
    }),
  ),
});

/** The schemas of what the Shop API answers, by their names in its OpenAPI. */
export const shownSchemas = {
  Site: site,
  Location: location,
  Grade: grade,
  Unit: unit,
  Boost: boost,
  BoostPurchase: boostPurchase,
  Card: card,
  Product: product,
  BatchResult: batchResult,
  Error: error,
} satisfies Readonly<Record<string, TSchema>>;
