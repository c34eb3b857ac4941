import { type Connection, endConnection, openConnection } from '../connections/connection.ts';
import type { Access } from '../approvals/access.ts';
import type { Actor } from '../shops/audit.ts';
import { type ConnectionState, readConnectionState } from '../webhooks/registration.ts';
import { changeConnection } from './connection-change.ts';
import type { EndpointResponse, AuthorizedRequest, Endpoint, PartnerDeps } from './endpoint.ts';
import { connectionRevoked } from './request-checks.ts';
import { invalidRequest } from './parameters.ts';
import { readBody } from './request-body.ts';
import type { WireConnection } from './schemas.ts';

const EITHER_SCOPE = ['purchase-boosts:read', 'inventory:read'] as const;

/** spec 4.1: GET /connection */
export const getConnection: Endpoint = {
  method: 'GET',
  path: '/connection',
  scopes: EITHER_SCOPE,
  permission: null,
  needsConnection: true,
  bucket: 'api',
  body: 'ignored',
  docs: {
    operationId: 'getConnection',
    summary: 'Show the app’s connection to the shop',
    description:
      'Returns the shop, the member who approved the app, the webhook, and the head of the change feed.',
    query: [],
    responses: { 200: { description: 'The connection.', schema: 'Connection' } },
    refusals: [],
  },
  handler: async (deps, { access }) => {
    if (access.connection === null) {
      throw new Error('a request without a connection passed the checks');
    }
    const state = await readState(deps, access.connection);
    return { status: 200, body: renderConnection(deps, access.connection, state) };
  },
};

/** spec 4.2: POST /connection */
export const postConnection: Endpoint = {
  method: 'POST',
  path: '/connection',
  scopes: EITHER_SCOPE,
  permission: null,
  needsConnection: false,
  bucket: 'api',
  body: 'json',
  docs: {
    operationId: 'openConnection',
    summary: 'Connect',
    description:
      'Call this first after obtaining tokens. No body is needed. Repeating it is safe and returns the same connection.',
    query: [],
    responses: {
      200: { description: 'The connection was already active.', schema: 'Connection' },
      201: { description: 'The connection was opened.', schema: 'Connection' },
    },
    refusals: [
      [400, 'invalid_request'],
      [413, 'payload_too_large'],
      [415, 'unsupported_media_type'],
    ],
  },
  handler: handlePostConnection,
};

async function handlePostConnection(
  deps: PartnerDeps,
  { access, request }: AuthorizedRequest,
): Promise<EndpointResponse> {
  const body = readBody(postConnection, request);
  // The properties of the body are ignored (decision 0003).
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  if (body !== undefined && !isObject) throw invalidRequest();
  const opened = await changeConnection(
    deps,
    access,
    async (tx) => await openConnection(tx, access, deps.clock.now(), appOf(access)),
  );
  if (opened.kind === 'approval_ended') throw connectionRevoked();
  const state = await readState(deps, opened.connection);
  const text = renderConnection(deps, opened.connection, state);
  if (opened.kind === 'already_active') return { status: 200, body: text };
  return { status: 201, headers: { location: `${deps.baseUrl}/connection` }, body: text };
}

/** spec 4.3: DELETE /connection */
export const deleteConnection: Endpoint = {
  method: 'DELETE',
  path: '/connection',
  scopes: EITHER_SCOPE,
  permission: null,
  needsConnection: true,
  bucket: 'api',
  // RFC 9110 §9.3.5: the content of a DELETE has no meaning.
  body: 'ignored',
  docs: {
    operationId: 'endConnection',
    summary: 'Disconnect',
    description:
      'Ends the connection, its webhook and the refresh tokens of all its approvals. Requests with an access token that has not expired get `connection_revoked`.',
    query: [],
    responses: { 204: { description: 'The connection has ended.', schema: null } },
    refusals: [[413, 'payload_too_large']],
  },
  handler: async (deps, { access }) => {
    const { shopId, clientId } = access;
    const isEnded = await changeConnection(
      deps,
      access,
      async (tx) =>
        await endConnection(tx, shopId, clientId, 'app', deps.clock.now(), appOf(access)),
    );
    // A concurrent request ended the connection first.
    if (!isEnded) throw connectionRevoked();
    return { status: 204, body: null };
  },
};

function appOf({ clientId }: Access): Actor {
  return { kind: 'app', clientId };
}

function readState(
  { db }: Pick<PartnerDeps, 'db'>,
  { id, shop }: Connection,
): Promise<ConnectionState | undefined> {
  return db.one(readConnectionState, [shop.id, id]);
}

function renderConnection(
  deps: PartnerDeps,
  connection: Connection,
  state: ConnectionState | undefined,
): string {
  const { shop } = connection;
  if (state === undefined) throw new Error('the state of a connection was not found');
  const { url, createdAt } = state;
  const webhook: WireConnection['webhook'] =
    url === null || createdAt === null ? null : { url, createdAt: createdAt.toISOString() };
  const cursor = deps.cursors.encode(shop.id, state);
  return `${renderPrefix(connection)},"webhook":${JSON.stringify(webhook)},"cursor":"${cursor}"}`;
}

/** These fields are read again for each response, and are its last fields. */
type EndField = 'webhook' | 'cursor';

/** Cached, because rendering the first part of a response is two thirds of the response's cost. */
const cachedPrefixes = new WeakMap<Connection, string>();

function renderPrefix(connection: Connection): string {
  const cached = cachedPrefixes.get(connection);
  if (cached !== undefined) return cached;
  const { id, shop, user, clientId, connectedAt } = connection;
  const begin: Omit<WireConnection, EndField> = {
    id,
    tenant: shop,
    user,
    clientId,
    status: 'active',
    connectedAt: connectedAt.toISOString(),
  };
  const text = JSON.stringify(begin).slice(0, -1);
  cachedPrefixes.set(connection, text);
  return text;
}
