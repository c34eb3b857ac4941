import { isObject } from '../expect.ts';
import type { Break } from './break.ts';
import {
  changeResponses,
  replaceWith,
  replaceErrorEverywhere,
  changeJson,
  replaceError,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  pathOf,
  queryOf,
  changeRequests,
  withHeader,
  withJson,
  withQuery,
} from './edits.ts';

const BOOSTS = 'GET /purchase-boosts';
const CHANGES = 'GET /inventory/changes';
const PUT = 'PUT /webhook';
const PHOTO = 'GET /inventory/items/:id/photos/:side';
const HEAD_PHOTO = 'HEAD /inventory/items/:id/photos/:side';
const SERVER = 'GET /auth/.well-known/oauth-authorization-server';
const RESOURCE = 'GET /.well-known/oauth-protected-resource/partner/v1';
/** The maximum size of a request body of the Partner API. */
const BODY_BYTES_MAX = 16 * 1024;

/** Breaks of rules that apply to a single endpoint only (spec 1, 4.10, decisions 2–10). */
export const oneEndpointBreaks: readonly Break[] = [
  {
    name: 'metadata-may-be-stored',
    clause: '1',
    wrong: 'allows caching of the metadata documents',
    caughtBy: ['1-no-store-metadata'],
    answer: changeResponses([SERVER, RESOURCE], (answer) =>
      withHeader(answer, 'cache-control', 'public, max-age=3600'),
    ),
  },
  {
    name: 'head-may-be-stored',
    clause: '1',
    wrong: 'allows caching of the response to HEAD of a photo',
    caughtBy: ['D5-head'],
    answer: changeResponses(HEAD_PHOTO, (answer) =>
      withHeader(answer, 'cache-control', 'private, max-age=60'),
    ),
  },
  {
    name: 'default-port-refused',
    clause: '4.10',
    wrong:
      'compares strings instead of origins, so that a URL with an explicit default port counts as another origin',
    caughtBy: ['4.10-same-origin'],
    request: changeRequests(PUT, ({ request }) =>
      /:443|[A-Z]\.EXAMPLE/.test(request.body.toString())
        ? jsonResponse(422, { error: 'invalid_webhook_url' })
        : request,
    ),
  },
  {
    name: 'origin-of-any-app',
    clause: '4.10',
    wrong: 'accepts the origin of any app’s redirect URI',
    caughtBy: ['4.10-other-app'],
    answer: replaceError(PUT, 'invalid_webhook_url', ({ request }, answer) => {
      const body = parseJsonBody(request);
      const url = isObject(body) ? String(body['url']) : '';
      if (!url.startsWith('https://mirror.example/')) return answer;
      const secret = `whsec_${Buffer.alloc(32, 'wrong').toString('base64')}`;
      return jsonResponse(200, { url, secret, createdAt: new Date().toISOString() });
    }),
  },
  {
    name: 'purchase-cost-is-told',
    clause: 'D2',
    wrong: 'shows the shop’s costs to every app',
    caughtBy: ['D2-cost'],
    answer: changeJson(CHANGES, 'changes.*.data', (data) =>
      isObject(data) && 'costMinor' in data ? { ...data, costMinor: 321 } : data,
    ),
  },
  {
    name: 'page-of-fifty',
    clause: 'D4',
    wrong: 'sends pages of 50 records if the request has no `limit`',
    caughtBy: ['D4-limit-default'],
    request: changeRequests(CHANGES, ({ request }) =>
      queryOf(request).has('limit')
        ? request
        : withQuery(request, (query) => query.set('limit', '50')),
    ),
  },
  {
    name: 'cursor-never-expires',
    clause: 'D4',
    wrong: 'returns an empty page for a cursor from before the restore',
    caughtBy: ['D4-expired'],
    answer: replaceError(CHANGES, 'cursor_expired', ({ request }) =>
      jsonResponse(200, {
        changes: [],
        nextCursor: queryOf(request).get('cursor'),
        hasMore: false,
      }),
    ),
  },
  {
    name: 'uploaded-in-1970',
    clause: 'D5',
    wrong: 'sends the same `Last-Modified` with every photo',
    caughtBy: ['D5-validators'],
    answer: changeResponses([PHOTO, HEAD_PHOTO], (answer) =>
      withHeader(answer, 'last-modified', 'Thu, 01 Jan 1970 00:00:00 GMT'),
    ),
  },
  {
    name: 'one-etag-for-all',
    clause: 'D5',
    wrong: 'sends the same `ETag` with all photos',
    caughtBy: ['D5-validators'],
    answer: changeResponses([PHOTO, HEAD_PHOTO], (answer) => withHeader(answer, 'etag', '"one"')),
  },
  {
    name: 'etag-lists-are-ignored',
    clause: 'D5',
    wrong: 'ignores an `If-None-Match` that is a list or `*`',
    caughtBy: ['D5-not-modified'],
    request: changeRequests(PHOTO, ({ request }) => {
      const { 'if-none-match': condition, ...headers } = request.headers;
      return /[,*]/.test(String(condition)) ? { ...request, headers } : request;
    }),
  },
  {
    name: 'created-once-for-all',
    clause: 'D7',
    wrong: 'keeps the first `createdAt` when a webhook is registered again',
    caughtBy: ['D7-created-at'],
    answer: changeResponses(PUT, (answer, { memory }) => {
      const value = parseJsonBody(answer);
      const first = memory.get('at') ?? (isObject(value) ? value['createdAt'] : undefined);
      memory.set('at', first);
      return withJson(answer, 'createdAt', replaceWith(first));
    }),
  },
  {
    name: 'help-for-parameters-only',
    clause: 'D10',
    wrong: 'links to an explanation only from 400 responses',
    caughtBy: ['D10-help-everywhere'],
    answer: (answer) => (answer.status > 400 ? withHeader(answer, 'link', null) : answer),
  },
  {
    name: 'no-request-id-without-a-body',
    clause: 'D10',
    wrong: 'sends no `X-Request-Id` with 204 and 304',
    caughtBy: ['D10-request-id-everywhere'],
    answer: (answer) =>
      answer.status === 204 || answer.status === 304
        ? withHeader(answer, 'x-request-id', null)
        : answer,
  },
  {
    name: 'no-request-id-at-auth',
    clause: 'D10',
    wrong: 'sends no `X-Request-Id` from the authorization server',
    caughtBy: ['D10-request-id-everywhere'],
    answer: (answer, { request }) =>
      pathOf(request).startsWith('/auth/') ? withHeader(answer, 'x-request-id', null) : answer,
  },
  {
    name: 'rate-told-of-searches-only',
    clause: 'D10',
    wrong: 'sends rate limit headers only with `GET /connection` and `GET /cards`',
    caughtBy: ['D10-rate-headers-everywhere'],
    answer: (answer, { request }) =>
      isRequestTo(request, 'GET /connection') || isRequestTo(request, 'GET /cards')
        ? answer
        : withHeader(withHeader(answer, 'ratelimit', null), 'ratelimit-policy', null),
  },
  {
    name: 'disabled-after-revoked',
    clause: 'D3',
    wrong: 'checks the connection before it checks whether the app is disabled',
    caughtBy: ['D3-order-outside'],
    answer: replaceErrorEverywhere('client_disabled', () =>
      jsonResponse(403, { error: 'connection_revoked' }),
    ),
  },
  {
    name: 'size-before-scope',
    clause: 'D3',
    wrong: 'checks the size of a body before the scope of the token',
    caughtBy: ['D3-order-of-bodies'],
    request: changeRequests(PUT, ({ request }) =>
      request.body.length > BODY_BYTES_MAX
        ? jsonResponse(413, { error: 'payload_too_large' })
        : request,
    ),
  },
  {
    name: 'list-made-in-1970',
    clause: '4.4',
    wrong: 'sends the same `generatedAt` with every list',
    caughtBy: ['4.4-generated-at'],
    answer: changeJson(BOOSTS, 'generatedAt', replaceWith('2026-01-01T00:00:00.000Z')),
  },
];
