import { type Static, type TObject, type TSchema, Type } from 'typebox';
import {
  DateTime,
  int64,
  oneOfKinds,
  oneOfWords,
  orNull,
  ref,
  Texts,
  Uri,
  Uuid,
} from './schema-parts.ts';

// Members that the specification does not mark as required are optional here, though we always send them: version 1
// promises no more than the specification (specification 2).

const Game = Type.Object({ id: Uuid, code: Type.String(), name: Type.String() });
const Rarity = Type.Object({ code: Type.String(), name: Type.String() });
const CardSet = Type.Object({
  id: Uuid,
  code: Type.String(),
  name: Type.String(),
  nameEn: Type.Optional(orNull(Type.String())),
});

/** 2.2 */
export const Card = Type.Partial(
  Type.Object({
    id: Uuid,
    name: Type.String(),
    localizedNames: Texts,
    cardNumber: orNull(Type.String()),
    setTotalRaw: orNull(Type.String()),
    janCode: orNull(Type.String()),
    languageCode: Type.String(),
    variant: orNull(Type.String()),
    finish: orNull(Type.String()),
    imageUrl: orNull(Uri),
    rarity: orNull(Rarity),
    set: orNull(CardSet),
    game: Game,
  }),
  { description: 'A card of the catalog.' },
);

/** 2.3, target shape A */
export const BoostCard = Type.Partial(
  Type.Object({
    id: Uuid,
    name: Type.String(),
    localizedNames: Texts,
    cardNumber: orNull(Type.String()),
    setTotalRaw: orNull(Type.String()),
    languageCode: Type.String(),
    imageUrl: orNull(Uri),
    rarity: orNull(Rarity),
    set: orNull(Type.Object({ id: Uuid, code: Type.String(), name: Type.String() })),
    game: Game,
  }),
);

/** 2.3, target shape B */
export const BoostProduct = Type.Partial(
  Type.Object({
    id: Uuid,
    name: Type.String(),
    productKind: Type.String({ description: 'An open set: `box`, `pack`, `deck` and others.' }),
    janCode: orNull(Type.String()),
    languageCode: Type.String(),
    imageUrl: orNull(Uri),
    game: Game,
  }),
  { description: 'A sealed product: a BOX, pack or deck.' },
);

/** 2.3 */
export const Grade = Type.Partial(
  Type.Object({
    id: Uuid,
    code: Type.String(),
    label: Type.String({ description: 'Its display name.' }),
    serviceCode: Type.String(),
    serviceName: Type.String(),
    serviceKind: oneOfWords(
      ['third_party', 'internal'],
      'An external grading service, or the shop’s own condition rank.',
    ),
  }),
);

const gradeOrNull = orNull(ref('Grade', Grade));

/** 2.3, target shape A; null `grade` means any grade. */
export const BoostedCard = Type.Object({
  kind: Type.Literal('card'),
  card: ref('BoostCard', BoostCard),
  grade: gradeOrNull,
});

/** 2.3, target shape B */
export const Product = Type.Object({
  kind: Type.Literal('product'),
  product: ref('BoostProduct', BoostProduct),
});

/** 2.3 */
export const PurchaseBoost = Type.Object(
  {
    id: Uuid,
    target: oneOfKinds({ card: 'BoostedCard', product: 'Product' }, 'What is bought.'),
    priceMinor: int64('Boosted price a piece, in the currency’s minor unit.'),
    currency: Type.String({ description: 'ISO 4217.' }),
    remainingQuantity: orNull(Type.Integer({ minimum: 0 }), 'Null means no limit.'),
    status: oneOfWords(['open', 'filled'], '`filled` only with `include=filled`.'),
    startsAt: orNull(DateTime),
    endsAt: orNull(DateTime, 'The boost closes at this instant.'),
    note: orNull(Type.String({ maxLength: 200 })),
    updatedAt: DateTime,
  },
  { description: 'A card or product that the shop buys above its usual price.' },
);

/** 4.4 */
export const PurchaseBoostList = Type.Object({
  boosts: Type.Array(ref('PurchaseBoost', PurchaseBoost)),
  generatedAt: Type.String({ format: 'date-time', description: 'When the list was made.' }),
});

/** 4.8 */
export const CardList = Type.Object({
  cards: Type.Array(ref('Card', Card), { maxItems: 25, description: 'Best first.' }),
});

/** 2.4 */
export const Location = Type.Partial(
  Type.Object({
    id: Uuid,
    siteId: Uuid,
    code: Type.String(),
    name: Type.String(),
    kind: Type.String({
      description:
        'An open set: `showcase`, `shelf`, `storage`, `safe`, `counter`, `transit`, `other`.',
    }),
    isActive: Type.Boolean(),
    createdAt: DateTime,
    updatedAt: DateTime,
  }),
);

/** 2.4 */
export const Site = Type.Partial(
  Type.Object({
    id: Uuid,
    code: Type.String(),
    name: Type.String(),
    kind: Type.String({
      description: 'An open set: `store`, `warehouse`, `event`, `online`, `other`.',
    }),
    countryCode: Type.String(),
    timezone: Type.String(),
    isActive: Type.Boolean(),
    createdAt: DateTime,
    updatedAt: DateTime,
    locations: Type.Array(ref('Location', Location)),
  }),
);

/** decision 0002: the whole card, because variant and finish tell a foil from a plain one; null `grade`: not graded yet. */
export const StockedCard = Type.Object({
  kind: Type.Literal('card'),
  card: ref('Card', Card),
  grade: gradeOrNull,
});

/** decision 0002: a stock unit is exactly one physical piece. */
export const Unit = Type.Object(
  {
    id: Uuid,
    status: Type.String({
      description:
        'An open set. In stock: `in_stock` (for sale), `reserved`, `in_transit`, `grading`. Left: `sold`, `returned`, `written_off`, `voided`.',
    }),
    siteId: Uuid,
    locationId: orNull(Uuid),
    item: oneOfKinds({ card: 'StockedCard', product: 'Product' }, 'What it is.'),
    certNumber: orNull(Type.String(), 'The number of a graded slab.'),
    serialNumber: orNull(Type.String(), 'The number of a print run, such as 025/100.'),
    ownership: oneOfWords(['owned', 'consigned'], 'Whose it is.'),
    priceMinor: orNull(int64('Asking price, tax included.', 0)),
    currency: Type.String({ description: 'ISO 4217.' }),
    photos: Type.Array(
      Type.Object({
        side: Type.String({ description: '`front` or `back`; front comes first.' }),
        contentType: Type.String({ description: '`image/jpeg` or `image/webp`, of both sizes.' }),
        width: Type.Integer({ description: 'Of the large picture, in pixels.' }),
        height: Type.Integer({ description: 'Of the large picture, in pixels.' }),
        etag: Type.String({
          description:
            'The exact value of the `ETag` header of both sizes, with its quotes. It changes when the picture does.',
        }),
        updatedAt: DateTime,
      }),
      { description: 'Photos of the unit, read at `/inventory/items/{id}/photos/{side}`.' },
    ),
    acquiredAt: orNull(DateTime),
    statusChangedAt: DateTime,
    createdAt: DateTime,
    updatedAt: DateTime,
    costMinor: orNull(
      int64(
        'Null unless the shop shares cost with this app and the approving member may see it.',
        0,
      ),
    ),
  },
  { description: 'One physical piece of stock. Members may be added.' },
);

function recordOf<Data extends TSchema>(kind: string, data: Data): TObject {
  return Type.Object({ kind: Type.Literal(kind), id: Uuid, changedAt: DateTime, data });
}

/** decision 0002: `data` is the current value, so a reader only upserts by `id`. */
export const SiteChange = recordOf('site', ref('Site', Site));
export const LocationChange = recordOf('location', ref('Location', Location));
export const UnitChange = recordOf('unit', ref('Unit', Unit));
const KINDS = { site: 'SiteChange', location: 'LocationChange', unit: 'UnitChange' };
export const KnownChange = oneOfKinds(KINDS, 'A change of a kind that is described here.');

/** A kind that may come to version 1 one day. */
export const OtherChange = Type.Object(
  {
    kind: Type.Unsafe<string>({ type: 'string', not: { enum: Object.keys(KINDS) } }),
    id: Uuid,
    changedAt: DateTime,
    data: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  },
  { description: 'A change of any other kind: pass over it.' },
);

/** decision 0217: a kind may be added, and the kinds that are known are still told apart by `kind`. */
export const ChangeRecord = Type.Unsafe<unknown>({
  oneOf: [ref('KnownChange', KnownChange), ref('OtherChange', OtherChange)],
  description:
    'The latest change of one object. `data` is its current value. Kinds may be added: look whether it is a known one first.',
});

/** 2.1 */
export const Webhook = Type.Object({ url: Uri, createdAt: DateTime });

/** 2.1 */
export const Connection = Type.Object(
  {
    id: Uuid,
    tenant: Type.Object(
      { id: Uuid, name: Type.String(), slug: Type.String() },
      { description: 'The connected shop.' },
    ),
    user: Type.Object(
      { id: Type.String(), name: Type.String(), email: Type.String({ format: 'email' }) },
      { description: 'The member who approved.' },
    ),
    clientId: Type.String(),
    status: Type.Literal('active'),
    connectedAt: DateTime,
    webhook: Type.Optional(orNull(ref('Webhook', Webhook), 'Always sent; null when none is set.')),
    cursor: Type.String({
      description: 'The head of the change feed: reading from it returns only later changes.',
    }),
  },
  { description: 'The app’s connection to the shop.' },
);

/** 4.10, request */
export const NewWebhook = Type.Object(
  {
    url: Type.String({
      format: 'uri',
      minLength: 1,
      maxLength: 2048,
      description: 'Of the origin of a redirect URI; path and query are called as sent.',
    }),
  },
  { description: 'The webhook that an app asks for. Other members are ignored.' },
);

/** 2.5 */
export const WebhookRegistration = Type.Object(
  {
    url: Uri,
    secret: Type.String({
      pattern: '^whsec_',
      description: 'The signing secret, in this answer only.',
    }),
    createdAt: DateTime,
  },
  { description: 'What registering a webhook answers.' },
);

/** 6 */
export const InventoryChanged = Type.Object(
  {
    type: Type.Literal('inventory.changed'),
    tenantId: Type.String({
      format: 'uuid',
      description: 'The shop, as `tenant.id` of the connection.',
    }),
    connectionId: Type.String({ format: 'uuid', description: '`id` of the connection.' }),
    occurredAt: Type.String({
      format: 'date-time',
      description: 'When the newest change that it covers was made; the same over all attempts.',
    }),
  },
  { description: 'The body of a notice. It carries no stock data: read `/inventory/changes`.' },
);

/** 4.5 */
export const SiteList = Type.Object({ sites: Type.Array(ref('Site', Site)) });

/** 4.6 */
export const ChangePage = Type.Object({
  changes: Type.Array(ref('ChangeRecord', ChangeRecord)),
  nextCursor: Type.String({ description: 'Where to read on, on every page.' }),
  hasMore: Type.Boolean({ description: 'While true there is more to read at once.' }),
});

/** 7 */
export const ErrorBody = Type.Object({
  error: Type.String({ description: 'A code. One that you do not know: go by the status.' }),
  scope: Type.Optional(
    Type.String({ description: 'The missing scope, beside `insufficient_scope` only.' }),
  ),
});

/** The members of specification 2 by their names in the OpenAPI document. */
export const COMPONENTS = {
  BoostCard,
  BoostedCard,
  BoostProduct,
  Card,
  CardList,
  ChangePage,
  ChangeRecord,
  Connection,
  Error: ErrorBody,
  Grade,
  InventoryChanged,
  KnownChange,
  Location,
  LocationChange,
  NewWebhook,
  OtherChange,
  Product,
  PurchaseBoost,
  PurchaseBoostList,
  Site,
  SiteChange,
  SiteList,
  StockedCard,
  Unit,
  UnitChange,
  Webhook,
  WebhookRegistration,
} as const;

/** 2.1 as a type. */
export type WireConnection = Static<typeof Connection>;

/** 2.5 as a type. */
export type WireWebhookRegistration = Static<typeof WebhookRegistration>;
