import { type Static, type TObject, type TSchema, Type } from 'typebox';
import {
  DateTime,
  int64,
  oneOfKinds,
  stringEnum,
  orNull,
  refTo,
  Uri,
  Uuid,
} from '../base/schema.ts';
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

// Properties that spec 2 does not mark as required are optional here, although we always send them:
// version 1 promises no more than the specification.

function withoutRequired({ required: _required, ...schema }: TObject): TSchema {
  return schema;
}

/** spec 2.3 */
export const PurchaseBoost = boostSchema(
  stringEnum(['open', 'filled'], '`filled` only with `include=filled`.'),
);

/** spec 4.4 */
export const PurchaseBoostList = Type.Object({
  boosts: Type.Array(refTo('PurchaseBoost')),
  generatedAt: Type.String({ format: 'date-time', description: 'When the list was generated.' }),
});

/** spec 4.8 */
export const CardList = Type.Object({
  cards: Type.Array(refTo('Card'), { maxItems: 25, description: 'The best match first.' }),
});

const Unit = unitSchema({
  costMinor: orNull(
    int64(
      'Null unless the shop shares costs with this app and the approving member has permission to see them.',
      0,
    ),
  ),
});

function recordOf<Data extends TSchema>(kind: string, data: Data): TObject {
  return Type.Object({ kind: Type.Literal(kind), id: Uuid, changedAt: DateTime, data });
}

/** `data` is the current value (spec 2.6), so readers upsert by `id`. Nothing is deleted (3.3). */
export const SiteChange = recordOf('site', refTo('Site'));
export const LocationChange = recordOf('location', refTo('Location'));
export const UnitChange = recordOf('unit', refTo('Unit'));
const KINDS = { site: 'SiteChange', location: 'LocationChange', unit: 'UnitChange' };
export const KnownChange = oneOfKinds(KINDS, 'A change to an object of a documented kind.');

/** Describes the kinds that may be added to version 1 later. */
export const OtherChange = Type.Object(
  {
    kind: Type.Unsafe<string>({ type: 'string', not: { enum: Object.keys(KINDS) } }),
    id: Uuid,
    changedAt: DateTime,
    data: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  },
  { description: 'A change of any other kind. Ignore it.' },
);

/** spec 2.6; decision 0008: kinds may be added, and `kind` still distinguishes the known ones. */
export const ChangeRecord = Type.Unsafe<unknown>({
  oneOf: [refTo('KnownChange'), refTo('OtherChange')],
  description:
    'The latest change to one object. `data` is its current value. New kinds may be added, so check `kind` first.',
});

/** spec 2.1 */
export const Webhook = Type.Object({ url: Uri, createdAt: DateTime });

/** spec 2.1 */
export const Connection = Type.Object(
  {
    id: Uuid,
    tenant: Type.Object(
      { id: Uuid, name: Type.String(), slug: Type.String() },
      { description: 'The connected shop.' },
    ),
    user: Type.Object(
      { id: Type.String(), name: Type.String(), email: Type.String({ format: 'email' }) },
      { description: 'The member who approved the app.' },
    ),
    clientId: Type.String(),
    status: Type.Literal('active'),
    connectedAt: DateTime,
    webhook: Type.Optional(
      orNull(
        refTo<Static<typeof Webhook>>('Webhook'),
        'Always present. Null if no webhook is set.',
      ),
    ),
    cursor: Type.String({
      description: 'The head of the change feed: reading from it returns only later changes.',
    }),
  },
  { description: 'The app’s connection to the shop.' },
);

/** spec 4.10, request */
export const NewWebhook = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      minLength: 1,
      maxLength: 2048,
      description:
        'Must have the same origin as a redirect URI of the app. Path and query are used as given.',
    }),
  },
  { description: 'The webhook to register. Other fields are ignored.' },
);

/** spec 2.5 */
export const WebhookRegistration = Type.Object(
  {
    url: Uri,
    secret: Type.String({
      pattern: '^whsec_',
      description: 'The signing secret. It appears only in this response.',
    }),
    createdAt: DateTime,
  },
  { description: 'The result of registering a webhook.' },
);

/** spec 6 */
export const InventoryChanged = Type.Object(
  {
    type: Type.Literal('inventory.changed'),
    tenantId: Type.String({
      format: 'uuid',
      description: 'The id of the shop: `tenant.id` of the connection.',
    }),
    connectionId: Type.String({ format: 'uuid', description: 'The `id` of the connection.' }),
    occurredAt: Type.String({
      format: 'date-time',
      description:
        'The time of the newest change that the event covers. The same for all attempts to deliver it.',
    }),
  },
  { description: 'The event. It carries no stock data: read `/inventory/changes`.' },
);

/** spec 4.5 */
export const SiteList = Type.Object({ sites: Type.Array(refTo('Site')) });

/** spec 4.6 */
export const ChangePage = Type.Object({
  changes: Type.Array(refTo('ChangeRecord')),
  nextCursor: Type.String({
    description: 'The cursor from which to continue. Present on every page.',
  }),
  hasMore: Type.Boolean({ description: 'True if there are more records to read now.' }),
});

/** spec 7 */
export const ErrorBody = Type.Object({
  error: Type.String({
    description: 'The error code. If you do not know the code, use the status.',
  }),
  scope: Type.Optional(
    Type.String({ description: 'The missing scope. Present only with `insufficient_scope`.' }),
  ),
});

/** The schemas of spec 2, by their names in the OpenAPI document. */
export const COMPONENTS = {
  BoostCard: withoutRequired(BoostCard),
  BoostedCard,
  BoostProduct: withoutRequired(BoostProduct),
  Card: withoutRequired(Card),
  CardList,
  ChangePage,
  ChangeRecord,
  Connection,
  Error: ErrorBody,
  Grade: withoutRequired(Grade),
  InventoryChanged,
  KnownChange,
  Location: withoutRequired(Location),
  LocationChange,
  NewWebhook,
  OtherChange,
  Product,
  PurchaseBoost,
  PurchaseBoostList,
  Site: withoutRequired(Site),
  SiteChange,
  SiteList,
  StockedCard,
  Unit,
  UnitChange,
  Webhook,
  WebhookRegistration,
} as const;

export type WireConnection = Static<typeof Connection>;

export type WireWebhookRegistration = Static<typeof WebhookRegistration>;
