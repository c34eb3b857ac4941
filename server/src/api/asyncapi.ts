import { DELIVERY_HEADERS } from './openapi-webhooks.ts';
import { InventoryChanged } from './schemas.ts';
import { renderEvent, signRequest, type UnsignedRequest } from '../webhooks/event-request.ts';
import { signingKeysOf } from '../webhooks/signature.ts';

type Json = Readonly<Record<string, unknown>>;

/** These secrets are published on purpose, so that receivers can test their signature check. */
export const EXAMPLE_SECRETS = {
  newest: `whsec_${Buffer.alloc(32, 'cardport example').toString('base64')}`,
  previous: `whsec_${Buffer.alloc(32, 'one before it').toString('base64')}`,
} as const;

const MESSAGE = '#/components/messages/inventoryChanged';

/** The AsyncAPI 3.0 document of the webhook event (spec 6), with the schemas of OpenAPI. */
export function renderPartnerAsyncapi(publicUrl: string): string {
  return JSON.stringify({
    asyncapi: '3.0.0',
    info: {
      title: 'Cardport webhooks',
      version: '1',
      description:
        'The requests that Cardport sends to the URL that an app has registered with `PUT /webhook` of the Partner API. There is one ' +
        'event, `inventory.changed`. It carries no stock data: the receiver reads `/inventory/changes` from its cursor.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      externalDocs: { description: 'How to receive webhooks', url: `${publicUrl}/docs/webhooks` },
    },
    defaultContentType: 'application/json',
    channels: { notices: CHANNEL },
    operations: { sendInventoryChanged: OPERATION },
    components: {
      messages: { inventoryChanged: describeMessage() },
      schemas: { InventoryChanged },
      securitySchemes: SIGNATURES,
    },
  });
}

// The channel has no address, because each app registers its own URL.
const CHANNEL: Json = {
  title: 'The webhook of a connection',
  description:
    'The `url` of `PUT /webhook`: https, with the same origin as one of the app’s redirect URIs. One per connection.',
  messages: { inventoryChanged: { $ref: MESSAGE } },
};

/** AsyncAPI has no signature scheme: the signature is a header that the receiver verifies. */
const SIGNATURES: Json = {
  serviceSignature: {
    type: 'httpApiKey',
    in: 'header',
    name: 'X-Service-Signature',
    description:
      'HMAC-SHA256 of `<X-Service-Timestamp>.<raw body>`, keyed with the complete secret string from `PUT /webhook`.',
  },
  standardWebhooks: {
    type: 'httpApiKey',
    in: 'header',
    name: 'webhook-signature',
    description: 'Standard Webhooks 1.0.0. Any Standard Webhooks library accepts the secret as is.',
  },
};

const OPERATION: Json = {
  action: 'send',
  channel: { $ref: '#/channels/notices' },
  title: 'Stock has changed',
  summary: 'Notifies an app that there are changes to read.',
  description:
    'Sent as an HTTP POST within a second of the change, and at least a second after the previous event. Any 2xx within 15 seconds ' +
    'acknowledges it. A redirect is a failure; `410` removes the webhook; after `429` and `503` Cardport respects `Retry-After`, up to 24 ' +
    'hours. Other failures are retried after 5 s, 30 s, 2 min, 10 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h, then ' +
    'daily; the webhook is removed on day 14. One event can cover many changes, and can be delivered more than once.',
  messages: [{ $ref: '#/channels/notices/messages/inventoryChanged' }],
  // As in OpenAPI, any one of the listed schemes is enough.
  security: Object.keys(SIGNATURES).map((name) => ({
    $ref: `#/components/securitySchemes/${name}`,
  })),
  bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
};

function describeMessage(): Json {
  const headers = DELIVERY_HEADERS.map(([name, description, schema]): [string, Json] => [
    name,
    { ...schema, description },
  ]);
  return {
    name: 'inventory.changed',
    title: 'Stock has changed',
    summary: 'Sites, locations or units of the connected shop have changed.',
    description:
      'Signed twice over the same raw bytes: with `X-Service-Signature` and with Standard Webhooks (`webhook-signature`). ' +
      'Verifying one of them is enough. Reject a timestamp that is 300 seconds or more away from your clock.',
    contentType: 'application/json',
    headers: {
      type: 'object',
      required: DELIVERY_HEADERS.map(([name]) => name),
      properties: Object.fromEntries(headers),
    },
    payload: { $ref: '#/components/schemas/InventoryChanged' },
    examples: [
      describeExample('first', `Signed with the secret \`${EXAMPLE_SECRETS.newest}\`.`, {
        attempt: 1,
        keys: [signingKeysOf(EXAMPLE_SECRETS.newest)],
      }),
      describeExample(
        'afterAnotherSecret',
        `The second attempt to deliver the same event, less than 24 hours after \`${EXAMPLE_SECRETS.previous}\` was replaced: \`webhook-signature\` contains one signature per secret.`,
        {
          attempt: 2,
          keys: [signingKeysOf(EXAMPLE_SECRETS.newest), signingKeysOf(EXAMPLE_SECRETS.previous)],
        },
      ),
    ],
  };
}

/** Signs with the code of real deliveries, so the signatures are valid for the compact JSON. */
function describeExample(
  name: string,
  summary: string,
  { attempt, keys }: Pick<UnsignedRequest, 'attempt' | 'keys'>,
): Json {
  const body = renderEvent({
    shopId: '5f0c1f9e-5f7e-4a5c-9d0f-0b8a6f6f2b11',
    connectionId: '0d6a3c8e-2a44-4c0b-8f63-6a1d1b8b7a52',
    occurredAt: new Date('2026-04-01T03:15:27.412Z'),
  });
  const signed = signRequest({
    url: 'https://app.example/hook',
    body,
    eventId: 'b9a2f3c4-7d1e-4e6b-a1c5-3f2e8d9c0b74',
    attempt,
    keys,
    // The first attempt follows within a second of the commit, the second five seconds later.
    at: new Date(Date.UTC(2026, 3, 1, 3, 15, 23 + attempt * 5)),
  });
  const names = new Set(DELIVERY_HEADERS.map(([header]) => header));
  const headers = Object.entries(signed.headers).filter(([header]) => names.has(header));
  return {
    name,
    summary,
    headers: Object.fromEntries(headers),
    payload: JSON.parse(body.toString()) as unknown,
  };
}
