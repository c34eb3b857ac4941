import type { Access } from '../approvals/access.ts';
import { ApiError } from '../http/errors.ts';
import { type PutWebhookResult, putWebhook, removeWebhook } from '../webhooks/registration.ts';
import { originForLog } from '../webhooks/webhook-url.ts';
import { changeConnection } from './connection-change.ts';
import type { EndpointResponse, AuthorizedRequest, Endpoint, PartnerDeps } from './endpoint.ts';
import { connectionRevoked } from './request-checks.ts';
import { invalidRequest } from './parameters.ts';
import { readBody } from './request-body.ts';
import type { WireWebhookRegistration } from './schemas.ts';

/** For the OpenAPI document, because the response has only an error code (decision 0100). */
const URL_RULES =
  'The URL must use https, have 1 to 2,048 ASCII characters, and have the same origin (scheme, host and port) as one of the app’s redirect URIs; its path and query can differ. It must not contain userinfo or a fragment. Its host must not be an IP address, `localhost` or a subdomain of `localhost`. It must not contain anything that a URL parser would rewrite: `..`, an empty query, an apostrophe in the query, or characters that need encoding.';

/** spec 4.10: PUT /webhook */
export const putWebhookEndpoint: Endpoint = {
  method: 'PUT',
  path: '/webhook',
  scopes: ['inventory:read'],
  permission: null,
  needsConnection: true,
  bucket: 'api',
  body: 'json',
  docs: {
    operationId: 'putWebhook',
    summary: 'Register the webhook',
    description: `Cardport notifies the URL when stock changes: see \`inventory.changed\`. ${URL_RULES} Every call replaces the previous webhook and returns a new signing secret, which appears only in this response.`,
    query: [],
    requestBody: 'NewWebhook',
    responses: {
      200: { description: 'The webhook is registered.', schema: 'WebhookRegistration' },
    },
    refusals: [
      [400, 'invalid_request'],
      [413, 'payload_too_large'],
      [415, 'unsupported_media_type'],
      [
        422,
        'invalid_webhook_url',
        `The URL is not allowed. ${URL_RULES} The operator can find the broken rule in the log by \`X-Request-Id\`.`,
      ],
    ],
  },
  handler: handlePutWebhook,
};

async function handlePutWebhook(
  deps: PartnerDeps,
  { access, request }: AuthorizedRequest,
): Promise<EndpointResponse> {
  const { shopId, clientId } = access;
  const url = readUrl(readBody(putWebhookEndpoint, request));
  const { webhookSecrets, allowsLoopbackWebhooks: allowsLoopback } = deps;
  const registration = {
    shopId,
    clientId,
    connectionId: connectionOf(access),
    url,
    allowsLoopback,
  };
  const put = await changeConnection(
    deps,
    access,
    async (tx) => await putWebhook(tx, webhookSecrets, registration, deps.clock.now()),
  );
  if (put.kind === 'unacceptable') {
    const facts = { requestId: request.id, shopId, clientId, origin: originForLog(url) };
    deps.log.info({ ...facts, reason: put.problem }, 'a webhook URL was refused');
  }
  return { status: 200, body: JSON.stringify(toWireRegistration(put)) };
}

/** Properties other than `url` are ignored, as in every request (decision 0003). */
function readUrl(body: unknown): string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidRequest();
  if (!('url' in body) || typeof body.url !== 'string') throw invalidRequest();
  return body.url;
}

function toWireRegistration(put: PutWebhookResult): WireWebhookRegistration {
  switch (put.kind) {
    case 'put':
      return { url: put.url, secret: put.secret, createdAt: put.createdAt.toISOString() };
    case 'unacceptable':
      throw new ApiError(422, 'invalid_webhook_url');
    case 'connection_ended':
      throw connectionRevoked();
    default:
      return put satisfies never;
  }
}

/** spec 4.11: DELETE /webhook */
export const deleteWebhook: Endpoint = {
  method: 'DELETE',
  path: '/webhook',
  scopes: ['inventory:read'],
  permission: null,
  needsConnection: true,
  bucket: 'api',
  // RFC 9110 §9.3.5: the content of a DELETE has no meaning.
  body: 'ignored',
  docs: {
    operationId: 'deleteWebhook',
    summary: 'Remove the webhook',
    description: 'Cardport stops notifying the app. Repeating this call is safe.',
    query: [],
    responses: { 204: { description: 'The webhook is removed.', schema: null } },
    refusals: [[413, 'payload_too_large']],
  },
  handler: async (deps, { access }) => {
    const connectionId = connectionOf(access);
    await changeConnection(
      deps,
      access,
      async (tx) => await removeWebhook(tx, access.shopId, connectionId, 'app', deps.clock.now()),
    );
    return { status: 204, body: null };
  },
};

function connectionOf({ connection }: Access): string {
  if (connection === null) throw new Error('a request without a connection passed the checks');
  return connection.id;
}
