import { EXAMPLE_BOOST } from '../boosts/example-boost.ts';
import { EXAMPLE_CARD, EXAMPLE_GRADE, EXAMPLE_PRODUCT } from '../catalog/example-entries.ts';
import { EXAMPLE_LOCATION, EXAMPLE_SITE, EXAMPLE_UNIT } from '../inventory/example-stock.ts';

const OWN_GRADE = { code: 'A-', label: '状態 A-', serviceCode: 'own', serviceName: '自店基準' };
const PURCHASE_ID = '16b485a7-d2e3-41f4-9f06-8b9c0d1e2f0d';
const EVENT_ID = '27c596b8-e3f4-4205-8017-9c0d1e2f300e';
const STARTED_AT = '2026-05-20T06:30:01.000Z';
const WEBHOOK_URL = 'https://app.example/hooks/stock';

const attempt = {
  number: 41,
  eventId: EVENT_ID,
  attempt: 1,
  startedAt: STARTED_AT,
  result: 'delivered',
  status: 204,
  error: null,
  latencyMs: 87,
};

/** The keys are components of the OpenAPI document. */
export const RESPONSE_EXAMPLES: Readonly<Record<string, unknown>> = {
  Site: EXAMPLE_SITE,
  Location: EXAMPLE_LOCATION,
  Grade: { id: EXAMPLE_GRADE.id, ...OWN_GRADE, serviceKind: 'internal' },
  Unit: { ...EXAMPLE_UNIT, costMinor: 95_000 },
  Boost: EXAMPLE_BOOST,
  BoostPurchase: {
    id: PURCHASE_ID,
    quantity: 2,
    createdAt: '2026-05-21T05:00:00.000Z',
    cancelledAt: null,
  },
  BatchResult: {
    accepted: 1,
    rejected: [{ line: 2, error: 'invalid_request', detail: 'siteId must be a UUID.' }],
  },
  Attempt: attempt,
  AskedNotice: { eventId: EVENT_ID },
  Connection: {
    id: 'f4926385-b0c1-4fd2-9de4-6f7a8b9c0d0b',
    status: 'active',
    app: { clientId: 'app_k2v8q4m1x7', name: 'Price board', isEnabled: true },
    user: {
      id: '05a37496-c1d2-40e3-8ef5-7a8b9c0d1e0c',
      name: '雲野 花',
      email: 'hana@kumo.example',
    },
    connectedAt: '2026-05-20T04:00:00.000Z',
    endedAt: null,
    endReason: null,
    webhook: {
      url: WEBHOOK_URL,
      createdAt: '2026-05-20T05:00:00.000Z',
      state: 'idle',
      failingSince: null,
      failures: 0,
      nextAttemptAt: null,
      lastAttempt: attempt,
    },
    removedWebhook: null,
    lag: { changes: 0, lastReadAt: '2026-05-20T06:30:02.000Z', minutesSinceRead: 3 },
  },
};

const { siteId, locationId, certNumber, priceMinor } = EXAMPLE_UNIT;
const { code, name, kind } = EXAMPLE_LOCATION;
const unit = {
  siteId,
  locationId,
  item: { kind: 'card', cardId: EXAMPLE_CARD.id, gradeId: EXAMPLE_GRADE.id },
  certNumber,
  priceMinor,
  costMinor: 95_000,
};

/** Request bodies for creating an object, by component. */
export const PUT_EXAMPLES: Readonly<Record<string, object>> = {
  Site: {
    code: EXAMPLE_SITE.code,
    name: EXAMPLE_SITE.name,
    kind: EXAMPLE_SITE.kind,
    countryCode: EXAMPLE_SITE.countryCode,
    timezone: EXAMPLE_SITE.timezone,
  },
  Location: { siteId, code, name, kind },
  Grade: OWN_GRADE,
  Unit: unit,
  Boost: {
    target: { kind: 'card', cardId: EXAMPLE_CARD.id },
    priceMinor: EXAMPLE_BOOST.priceMinor,
    remainingQuantity: 3,
    endsAt: EXAMPLE_BOOST.endsAt,
    note: EXAMPLE_BOOST.note,
  },
};

/** `POST /units/{id}/status` */
export const STATUS_EXAMPLE = { status: 'reserved' };

/** `POST /boosts/{id}/purchases` */
export const PURCHASE_EXAMPLE = { id: PURCHASE_ID, quantity: 2 };

/** `POST /units/batch`: one unit per line. */
export const BATCH_EXAMPLE = [
  { id: EXAMPLE_UNIT.id, ...unit },
  {
    id: '38d6a7c9-f405-4316-9128-0d1e2f30410f',
    siteId,
    item: { kind: 'product', productId: EXAMPLE_PRODUCT.id },
  },
]
  .map((line) => `${JSON.stringify(line)}\n`)
  .join('');
