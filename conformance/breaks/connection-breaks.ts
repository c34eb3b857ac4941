import { isObject } from '../expect.ts';
import type { Break } from './break.ts';
import {
  changeResponses,
  replaceWith,
  remove,
  changeJson,
  replaceError,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  changeRequests,
  withJson,
} from './edits.ts';

const CONNECTION = ['GET /connection', 'POST /connection'];
/** A connection that does not exist. */
const INVENTED = {
  id: '00000000-0000-4000-8000-000000000000',
  tenant: { id: '00000000-0000-4000-8000-000000000001', name: 'Shop', slug: 'shop' },
  user: { id: 'a', name: 'A', email: 'a@shop.example' },
  clientId: 'app_a',
  status: 'active',
  connectedAt: '2026-01-01T00:00:00.000Z',
  webhook: null,
  cursor: 'a',
};

/** Violations of the rules for the connection (specification 2.1, 3.1, 4.1 to 4.3). */
export const connectionBreaks: readonly Break[] = [
  {
    name: 'connection-without-slug',
    clause: '2.1',
    wrong: 'omits `tenant.slug`',
    caughtBy: ['2.1-tenant', '2.1-fields', '2.1-user', '2.1-webhook-null'],
    answer: changeJson(CONNECTION, 'tenant.slug', remove),
  },
  {
    name: 'connection-without-email',
    clause: '2.1',
    wrong: 'omits `user.email`',
    caughtBy: ['2.1-connected-at', '2.1-fields'],
    answer: changeJson(CONNECTION, 'user.email', remove),
  },
  {
    name: 'connection-with-status-connected',
    clause: '2.1',
    wrong: 'returns the status `connected` instead of `active`',
    caughtBy: ['2.1-connected-at', '2.1-fields'],
    answer: changeJson(CONNECTION, 'status', replaceWith('connected')),
  },
  {
    name: 'connected-at-in-milliseconds',
    clause: '2.1',
    wrong: 'sends `connectedAt` as milliseconds',
    caughtBy: ['2.1-connected-at', '2.1-fields'],
    answer: changeJson(CONNECTION, 'connectedAt', (at) => Date.parse(String(at))),
  },
  {
    name: 'connected-at-without-zone',
    clause: '2.1',
    wrong: 'sends `connectedAt` without its zone',
    caughtBy: ['2.1-connected-at', '2.1-fields'],
    answer: changeJson(CONNECTION, 'connectedAt', (at) => String(at).replace('Z', '')),
  },
  {
    name: 'connection-of-another-client',
    clause: '2.1',
    wrong: 'names another app in `clientId`',
    caughtBy: ['2.1-client-id'],
    answer: changeJson(CONNECTION, 'clientId', replaceWith('app_another')),
  },
  {
    name: 'connection-of-another-shop',
    clause: '2.1',
    wrong: 'names another shop in `tenant`',
    caughtBy: ['2.1-tenant'],
    answer: changeJson(CONNECTION, 'tenant.id', replaceWith(INVENTED.tenant.id)),
  },
  {
    name: 'connection-without-cursor',
    clause: '2.1',
    wrong: 'omits `cursor`',
    caughtBy: ['2.1-connected-at', '2.1-fields'],
    answer: changeJson(CONNECTION, 'cursor', remove),
  },
  {
    name: 'connection-with-a-secret',
    clause: '2.5',
    wrong: 'shows the signing secret in the connection’s `webhook`',
    caughtBy: ['4.10-secret-only-here', '2.1-webhook-set'],
    answer: changeResponses(CONNECTION, (answer, { memory }) =>
      withJson(answer, 'webhook.secret', replaceWith(memory.get('secret') ?? 'whsec_AAAA')),
    ),
  },
  {
    name: 'connection-without-webhook',
    clause: '4.10',
    wrong: 'does not show the webhook that was registered',
    caughtBy: ['4.10-registers'],
    answer: changeJson('GET /connection', 'webhook', replaceWith(null)),
  },
  {
    name: 'connection-needs-no-post',
    clause: '3.1',
    wrong: 'shows a connection that the app has not created yet',
    caughtBy: ['3.1-only-while-active'],
    answer: replaceError('GET /connection', 'forbidden', () => jsonResponse(200, INVENTED)),
  },
  {
    name: 'feed-needs-no-connection',
    clause: '3.1',
    wrong: 'lets an app read the feed before it has created a connection',
    caughtBy: ['3.1-only-while-active'],
    answer: replaceError('GET /inventory/changes', 'forbidden', () =>
      jsonResponse(200, { changes: [], nextCursor: 'a', hasMore: false }),
    ),
  },
  {
    name: 'connection-without-tenant',
    clause: '4.2',
    wrong: 'omits the shop in the response that creates the connection',
    caughtBy: ['4.2-creates'],
    answer: changeJson('POST /connection', 'tenant', remove),
  },
  {
    name: 'connection-made-with-200',
    clause: 'D3',
    wrong: 'returns 200 instead of 201 when a connection is created',
    caughtBy: ['D3-created', 'D3-order-of-checks'],
    answer: changeResponses('POST /connection', (answer) => ({ ...answer, status: 200 })),
  },
  {
    name: 'connection-made-twice',
    clause: 'D3',
    wrong: 'returns another id for the active connection when POST is repeated',
    caughtBy: ['D3-shared', 'D3-repeated'],
    answer: changeResponses('POST /connection', (answer) =>
      answer.status === 200 ? withJson(answer, 'id', replaceWith(crypto.randomUUID())) : answer,
    ),
  },
  {
    name: 'connection-is-not-ended',
    clause: '4.3',
    wrong: 'reports that the connection has ended, although it has not',
    caughtBy: ['4.3-ends'],
    request: changeRequests('DELETE /connection', () => ({
      status: 204,
      headers: { 'cache-control': 'no-store', 'x-request-id': 'abcdefghijklmnopqr' },
      body: Buffer.alloc(0),
    })),
  },
  {
    name: 'ended-connection-is-made-again',
    clause: 'D3',
    wrong: 'lets an app reopen an ended connection without a new approval',
    caughtBy: ['D3-revoked-everywhere'],
    answer: replaceError('POST /connection', 'connection_revoked', () =>
      jsonResponse(201, INVENTED),
    ),
  },
  {
    name: 'ended-with-a-body',
    clause: 'D3',
    wrong: 'responds to DELETE /connection with 200 and a body',
    caughtBy: ['D3-before-post', 'D3-deleted', 'D3-refresh-ends', 'D3-webhook-ends'],
    answer: changeResponses('DELETE /connection', () => jsonResponse(200, { status: 'revoked' })),
  },
  {
    name: 'cursor-of-the-beginning',
    clause: '4.6',
    wrong: 'sends a `cursor` that is not the head of the feed, so that old records are read again',
    caughtBy: ['4.6-head', '4.6-only-later'],
    answer: changeResponses('GET /connection', async (answer, { request, forward }) => {
      const target = '/partner/v1/inventory/changes?limit=1';
      const page = parseJsonBody(await forward({ ...request, target }));
      const cursor = isObject(page) ? page['nextCursor'] : undefined;
      return typeof cursor === 'string' ? withJson(answer, 'cursor', replaceWith(cursor)) : answer;
    }),
  },
  {
    name: 'connection-in-an-object',
    clause: '4.1',
    wrong: 'returns `{"connection": …}`',
    caughtBy: ['4.1-answer'],
    answer: changeJson('GET /connection', '', (connection) => ({ connection })),
  },
  {
    name: 'first-webhook-stays',
    clause: '8',
    wrong: 'keeps the first webhook when another one is registered',
    caughtBy: ['8-one-webhook'],
    answer: (answer, { request, memory }) => {
      const created = parseJsonBody(answer);
      if (isRequestTo(request, 'PUT /webhook') && isObject(created)) {
        memory.set('url', memory.get('url') ?? created['url']);
      }
      return isRequestTo(request, 'GET /connection') && memory.has('url')
        ? withJson(answer, 'webhook.url', replaceWith(memory.get('url')))
        : answer;
    },
  },
  {
    name: 'connection-with-a-parameter-refused',
    clause: 'D6',
    wrong: 'refuses GET /connection with an unknown parameter',
    caughtBy: ['D6-unknown-names'],
    request: ({ request }) =>
      isRequestTo(request, 'GET /connection') && request.target.includes('?')
        ? jsonResponse(400, { error: 'invalid_request' })
        : request,
  },
];
