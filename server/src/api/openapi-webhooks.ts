import { EXAMPLES } from './examples.ts';

type Json = Readonly<Record<string, unknown>>;

/** Headers of a delivery: name, description, schema (specification 6, decision 0100). */
export const NOTICE_HEADERS: readonly (readonly [string, string, Json])[] = [
  [
    'X-Service-Timestamp',
    'Whole unix seconds of this attempt. Reject a notice that is 300 seconds or more away from your clock.',
    { type: 'string', pattern: '^[0-9]+$' },
  ],
  [
    'X-Service-Signature',
    '`v1=` and the hexadecimal HMAC-SHA256 of `<X-Service-Timestamp>.<raw body>`, keyed with the whole secret string of `PUT /webhook`, its `whsec_` included.',
    { type: 'string', pattern: '^v1=[0-9a-f]{64}$' },
  ],
  [
    'X-Service-Event-Id',
    'The same over all attempts of one notice.',
    { type: 'string', format: 'uuid' },
  ],
  [
    'X-Service-Attempt',
    '1 for the first attempt of a notice.',
    { type: 'string', pattern: '^[1-9][0-9]*$' },
  ],
  ['webhook-id', 'Standard Webhooks: as `X-Service-Event-Id`.', { type: 'string', format: 'uuid' }],
  [
    'webhook-timestamp',
    'Standard Webhooks: as `X-Service-Timestamp`.',
    { type: 'string', pattern: '^[0-9]+$' },
  ],
  [
    'webhook-signature',
    'Standard Webhooks: `v1,` and a base64 signature; two of them, with a space between, for 24 hours after a `PUT /webhook` over a webhook that was set: with the new secret and with the one before.',
    { type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)?$' },
  ],
];

/**
 * The `webhooks` section of the Partner API's OpenAPI document: the requests that the service
 * sends.
 */
export const WEBHOOKS: Json = {
  'inventory.changed': {
    post: {
      tags: ['webhook'],
      operationId: 'inventoryChanged',
      summary: 'Stock has changed',
      description:
        'Sent to the URL of `PUT /webhook` after a change of sites, locations or units can be read. It carries no stock data: answer first, then read `/inventory/changes` from your cursor. Many changes may be one notice; a notice may come twice.',
      // Our request carries no token; the receiver verifies its signature.
      security: [],
      parameters: NOTICE_HEADERS.map(([name, description, schema]) => ({
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
          description: 'Taken, whichever 2xx it is and whatever its body. Within 15 seconds.',
        },
        '410': { description: 'The webhook is removed at once.' },
        '429': {
          description: 'Tried again, not before `Retry-After` (at most 24 hours).',
          headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
        },
        '503': {
          description: 'Tried again, not before `Retry-After` (at most 24 hours).',
          headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
        },
        default: {
          description:
            'Anything else, a redirect too: tried again after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, then daily; the webhook is removed on day 14.',
        },
      },
    },
  },
};
