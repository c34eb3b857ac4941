import { EXAMPLES } from './examples.ts';

type Json = Readonly<Record<string, unknown>>;

/** The headers of a delivery: name, description and schema (spec 6, decision 0100). */
export const DELIVERY_HEADERS: readonly (readonly [string, string, Json])[] = [
  [
    'X-Service-Timestamp',
    'The time of this attempt in whole Unix seconds. Reject a request whose timestamp is 300 seconds or more away from your clock.',
    { type: 'string', pattern: '^[0-9]+$' },
  ],
  [
    'X-Service-Signature',
    '`v1=` and the hexadecimal HMAC-SHA256 of `<X-Service-Timestamp>.<raw body>`, keyed with the complete secret string from `PUT /webhook`, including `whsec_`.',
    { type: 'string', pattern: '^v1=[0-9a-f]{64}$' },
  ],
  [
    'X-Service-Event-Id',
    'The id of the event. The same for all attempts to deliver it.',
    { type: 'string', format: 'uuid' },
  ],
  [
    'X-Service-Attempt',
    'The number of this attempt to deliver the event, starting at 1.',
    { type: 'string', pattern: '^[1-9][0-9]*$' },
  ],
  [
    'webhook-id',
    'Standard Webhooks: same as `X-Service-Event-Id`.',
    { type: 'string', format: 'uuid' },
  ],
  [
    'webhook-timestamp',
    'Standard Webhooks: same as `X-Service-Timestamp`.',
    { type: 'string', pattern: '^[0-9]+$' },
  ],
  [
    'webhook-signature',
    'Standard Webhooks: `v1,` and a base64 signature. For 24 hours after `PUT /webhook` has replaced a webhook there are two, separated by a space: one with the new secret and one with the previous secret.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
  ],
];

export const WEBHOOKS: Json = {
  'inventory.changed': {
    post: {
      tags: ['webhook'],
      operationId: 'inventoryChanged',
      summary: 'Stock has changed',
      description:
        'Sent to the URL of `PUT /webhook` when a change to sites, locations or units can be read. It carries no stock data: respond first, then read `/inventory/changes` from your cursor. One event can cover many changes, and can be delivered more than once.',
      // The request carries no token. The receiver verifies its signature instead.
      security: [],
      parameters: DELIVERY_HEADERS.map(([name, description, schema]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema,
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/InventoryChanged' },
            example: EXAMPLES.InventoryChanged,
          },
        },
      },
      responses: {
        '2XX': {
          description:
            'Acknowledged. Any 2xx status within 15 seconds counts; the body is ignored.',
        },
        '410': { description: 'The webhook is removed immediately.' },
        '429': {
          description: 'The delivery is retried once `Retry-After` has passed (at most 24 hours).',
          headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
        },
        '503': {
          description: 'The delivery is retried once `Retry-After` has passed (at most 24 hours).',
          headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
        },
        default: {
          description:
            'Anything else, including a redirect, is retried after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, then daily; the webhook is removed on day 14.',
        },
      },
    },
  },
};
