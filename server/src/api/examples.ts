import { EXAMPLE_BOOST } from '../boosts/example-boost.ts';
import { EXAMPLE_CARD } from '../catalog/example-entries.ts';
import { EXAMPLE_SITE, EXAMPLE_UNIT } from '../inventory/example-stock.ts';
import type { COMPONENTS } from './schemas.ts';

const SHOP_ID = 'e3815274-afb0-4ec1-8cd3-5e6f7a8b9c0a';
const CONNECTION_ID = 'f4926385-b0c1-4fd2-9de4-6f7a8b9c0d0b';
const WEBHOOK_URL = 'https://app.example/hooks/stock';
const WEBHOOK_SINCE = '2026-05-20T05:00:00.000Z';
const CURSOR = 'AZXkYp0AAAAAAAAAAQAAAAAAAAAqx1k0';

/** Examples by the name of their component in the OpenAPI document. */
export const EXAMPLES: Partial<Record<keyof typeof COMPONENTS, unknown>> = {
  Card: EXAMPLE_CARD,
  CardList: { cards: [EXAMPLE_CARD] },
  ChangePage: {
    changes: [
      {
        kind: 'site',
        id: EXAMPLE_SITE.id,
        changedAt: EXAMPLE_SITE.updatedAt,
        data: EXAMPLE_SITE,
      },
      {
        kind: 'unit',
        id: EXAMPLE_UNIT.id,
        changedAt: EXAMPLE_UNIT.updatedAt,
        data: EXAMPLE_UNIT,
      },
    ],
    nextCursor: CURSOR,
    hasMore: false,
  },
  Connection: {
    id: CONNECTION_ID,
    tenant: { id: SHOP_ID, name: 'Kumo Cards', slug: 'kumo' },
    user: {
      id: '05a37496-c1d2-40e3-8ef5-7a8b9c0d1e0c',
      name: '雲野 花',
      email: 'hana@kumo.example',
    },
    clientId: 'app_k2v8q4m1x7',
    status: 'active',
    connectedAt: '2026-05-20T04:00:00.000Z',
    webhook: { url: WEBHOOK_URL, createdAt: WEBHOOK_SINCE },
    cursor: CURSOR,
  },
  InventoryChanged: {
    type: 'inventory.changed',
    tenantId: SHOP_ID,
    connectionId: CONNECTION_ID,
    occurredAt: EXAMPLE_UNIT.updatedAt,
  },
  NewWebhook: { url: WEBHOOK_URL },
  PurchaseBoostList: { boosts: [EXAMPLE_BOOST], generatedAt: '2026-05-21T09:00:00.000Z' },
  SiteList: { sites: [EXAMPLE_SITE] },
  WebhookRegistration: {
    url: WEBHOOK_URL,
    secret: `whsec_${Buffer.alloc(32, 'cardport example').toString('base64')}`,
    createdAt: WEBHOOK_SINCE,
  },
};

/** Returns an example of the error body of spec 7. */
export function errorExample(code: string): object {
  return code === 'insufficient_scope' ? { error: code, scope: 'inventory:read' } : { error: code };
}
