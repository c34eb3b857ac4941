import { isObject } from '../expect.ts';
import type { Break } from './break.ts';
import {
  changeResponses,
  replaceWith,
  changeAt,
  replaceErrorEverywhere,
  REMOVED,
  remove,
  changeJson,
  changeList,
  replaceError,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  queryOf,
  changeRequests,
  withHeader,
  withJson,
  withQuery,
} from './edits.ts';

const CHANGES = 'GET /inventory/changes';
const SEARCH = 'GET /cards';
const CARD = 'GET /cards/:id';
const PHOTO = 'GET /inventory/items/:id/photos/:side';

/** Removes the milliseconds from a time. */
function withoutMilliseconds(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\.\d{3}Z$/, 'Z') : value;
}

/** Violations of rules that come from the decisions, where the specification says "not shown". */
export const decisionBreaks: readonly Break[] = [
  {
    name: 'a-field-more',
    clause: 'D2',
    wrong: 'adds a field to the connection that the specification does not have',
    caughtBy: ['D2-exact-fields'],
    answer: changeJson('GET /connection', 'plan', replaceWith('free')),
  },
  {
    name: 'null-left-out-of-cards',
    clause: 'D2',
    wrong: 'omits fields of a card',
    caughtBy: ['D2-every-card-field'],
    answer: changeJson(CARD, 'variant', remove),
  },
  {
    name: 'instants-of-seconds',
    clause: 'D2',
    wrong: 'sends times without milliseconds',
    caughtBy: ['D2-instants'],
    answer: changeJson('GET /connection', 'connectedAt', withoutMilliseconds),
  },
  {
    name: 'unit-without-photos',
    clause: 'D2',
    wrong: 'omits `photos` from units that have none',
    caughtBy: ['D2-records', 'D2-site-records'],
    answer: changeJson(CHANGES, 'changes.*.data.photos', (photos) =>
      Array.isArray(photos) && photos.length === 0 ? REMOVED : photos,
    ),
  },
  {
    name: 'photo-of-another-etag',
    clause: 'D2',
    wrong: 'lists each photo with an `etag` that differs from the `ETag` header of the photo',
    caughtBy: ['D2-unit-photos'],
    answer: changeJson(CHANGES, 'changes.*.data.photos.*.etag', (etag) =>
      String(etag).replaceAll('"', ''),
    ),
  },
  {
    name: 'page-of-1001',
    clause: 'D4',
    wrong: 'treats a `limit` of 1,001 as 1,000',
    caughtBy: ['D4-limit-bounds'],
    request: changeRequests(CHANGES, ({ request }) =>
      Number(queryOf(request).get('limit')) > 1_000
        ? withQuery(request, (query) => query.set('limit', '1000'))
        : request,
    ),
  },
  {
    name: 'page-limit-is-ignored',
    clause: 'D4',
    wrong: 'ignores `limit` and sends pages of another size',
    caughtBy: ['D4-limit-bounds', 'D4-limit-holds'],
    request: changeRequests(CHANGES, ({ request }) =>
      Number(queryOf(request).get('limit')) > 1
        ? withQuery(request, (query) => query.delete('limit'))
        : request,
    ),
  },
  {
    name: 'record-twice',
    clause: 'D4',
    wrong: 'sends the last record of a page twice',
    caughtBy: ['D4-one-record', 'D4-location-stamps-site'],
    answer: changeJson(
      CHANGES,
      'changes',
      changeList((changes) => [...changes, ...changes.slice(-1)]),
    ),
  },
  {
    name: 'page-backwards',
    clause: 'D4',
    wrong: 'sends the newest change of a page first',
    caughtBy: ['D4-order', 'D4-same-order'],
    answer: changeJson(
      CHANGES,
      'changes',
      changeList((changes) => changes.toReversed()),
    ),
  },
  {
    name: 'location-alone',
    clause: '4.6',
    wrong: 'sends no record of a site when one of its locations changes',
    caughtBy: ['D4-location-stamps-site', 'D4-limit-holds'],
    answer: changeJson(
      CHANGES,
      'changes',
      changeList((changes) =>
        changes.length === 2
          ? changes.filter((record) => !isObject(record) || record['kind'] !== 'site')
          : changes,
      ),
    ),
  },
  {
    name: 'photo-of-one-size',
    clause: 'D5',
    wrong: 'ignores `size` and sends the large photo',
    caughtBy: ['D5-sizes'],
    request: changeRequests(PHOTO, ({ request }) =>
      queryOf(request).get('size') === 'small'
        ? withQuery(request, (query) => query.delete('size'))
        : request,
    ),
  },
  {
    name: 'any-size-taken',
    clause: 'D5',
    wrong: 'accepts any `size`',
    caughtBy: ['D5-sizes'],
    request: changeRequests(PHOTO, ({ request }) =>
      ['small', 'large'].includes(queryOf(request).get('size') ?? 'large')
        ? request
        : withQuery(request, (query) => query.delete('size')),
    ),
  },
  {
    name: 'weak-etag',
    clause: 'D5',
    wrong: 'sends a weak `ETag` with photos',
    caughtBy: ['D5-head', 'D5-headers'],
    answer: changeResponses(PHOTO, (answer) =>
      withHeader(answer, 'etag', `W/${String(answer.headers['etag'])}`),
    ),
  },
  {
    name: 'no-head-of-photos',
    clause: 'D5',
    wrong: 'responds to HEAD of a photo with 405',
    caughtBy: ['D5-head'],
    answer: (answer, { request }) =>
      request.method === 'HEAD' ? { ...answer, status: 405 } : answer,
  },
  {
    name: 'photos-are-guessed',
    clause: 'D5',
    wrong: 'sends photos without `nosniff`',
    caughtBy: ['D5-headers'],
    answer: changeResponses(PHOTO, (answer) => withHeader(answer, 'x-content-type-options', null)),
  },
  {
    name: 'blank-search-refused',
    clause: 'D6',
    wrong: 'refuses a search of blanks',
    caughtBy: ['D6-blank'],
    request: changeRequests(SEARCH, ({ request }) => {
      const search = queryOf(request).get('search') ?? '';
      return search !== '' && search.trim() === ''
        ? jsonResponse(400, { error: 'invalid_request' })
        : request;
    }),
  },
  {
    name: 'search-counted-in-utf-16',
    clause: 'D6',
    wrong: 'counts the UTF-16 units of a search instead of its characters',
    caughtBy: ['D6-code-points'],
    request: changeRequests(SEARCH, ({ request }) =>
      (queryOf(request).get('search') ?? '').length > 150
        ? jsonResponse(400, { error: 'invalid_request' })
        : request,
    ),
  },
  {
    name: 'search-trimmed-before-it-is-counted',
    clause: 'D6',
    wrong: 'counts the characters of a search without the spaces around it',
    caughtBy: ['D6-code-points', 'D6-repeated'],
    request: changeRequests(SEARCH, ({ request }) =>
      withQuery(request, (query) => {
        const search = query.get('search') ?? '';
        if (search.trim() !== '') query.set('search', search.trim());
      }),
    ),
  },
  {
    name: 'repeated-parameters-taken',
    clause: 'D6',
    wrong: 'uses the last value of a repeated parameter',
    caughtBy: ['D6-repeated'],
    request: ({ request }) =>
      request.method === 'GET' && request.target.startsWith('/partner/')
        ? withQuery(request, (query) => {
            for (const name of new Set(query.keys())) {
              query.set(name, query.getAll(name).at(-1) ?? '');
            }
          })
        : request,
  },
  {
    name: 'inactive-card-is-404',
    clause: 'D6',
    wrong: 'returns 404 for an inactive card',
    caughtBy: ['D6-inactive-by-id'],
    answer: changeResponses(CARD, async (answer, { request, forward }) => {
      const card = parseJsonBody(answer);
      const name = isObject(card) ? String(card['name']) : '';
      const target = `/partner/v1/cards?search=${encodeURIComponent(name)}`;
      const found = parseJsonBody(await forward({ ...request, target }));
      const id = isObject(card) ? String(card['id']) : '';
      return JSON.stringify(found).includes(id)
        ? answer
        : jsonResponse(404, { error: 'not_found' });
    }),
  },
  {
    name: 'no-uuid-is-400',
    clause: 'D6',
    wrong: 'returns 400 for an id that is not a uuid',
    caughtBy: ['D6-no-uuid', 'D6-unknown-names'],
    request: changeRequests(CARD, ({ request }) =>
      /[0-9a-f-]{36}$/i.test(request.target) && request.target.length === 54
        ? request
        : jsonResponse(400, { error: 'invalid_request' }),
    ),
  },
  {
    name: 'unknown-parameters-refused',
    clause: 'D6',
    wrong: 'refuses unknown parameters',
    caughtBy: ['D6-unknown-names'],
    request: ({ request }) =>
      queryOf(request).has('color') ? jsonResponse(400, { error: 'invalid_request' }) : request,
  },
  {
    name: 'inactive-cards-found',
    clause: '4.8',
    wrong: 'finds inactive cards',
    caughtBy: ['4.8-nothing', '4.8-only-active'],
    answer: changeResponses(SEARCH, async (answer, { request, forward }) => {
      const target = '/partner/v1/cards/c0f0c0de-0003-4000-8000-000000000003';
      const inactive = parseJsonBody(await forward({ ...request, target }));
      return withJson(
        answer,
        'cards',
        changeList((cards) => [inactive, ...cards].slice(0, 25)),
      );
    }),
  },
  {
    name: 'secret-without-padding',
    clause: 'D7',
    wrong: 'issues a secret with unpadded base64',
    caughtBy: ['D7-secret-form'],
    answer: changeJson('PUT /webhook', 'secret', (secret) => String(secret).replaceAll('=', '')),
  },
  {
    name: 'removed-with-a-body',
    clause: 'D7',
    wrong: 'responds to DELETE /webhook with 200 and a body',
    caughtBy: ['D7-delete'],
    answer: changeResponses('DELETE /webhook', () => jsonResponse(200, { webhook: null })),
  },
  {
    name: 'userinfo-taken',
    clause: 'D7',
    wrong: 'accepts a webhook URL with a user and password',
    caughtBy: ['D7-url-parts'],
    answer: replaceError('PUT /webhook', 'invalid_webhook_url', ({ request }, answer) =>
      request.body.includes('@')
        ? jsonResponse(200, { url: 'https://a', secret: 'whsec_', createdAt: '' })
        : answer,
    ),
  },
  {
    name: 'no-standard-signature',
    clause: 'D7',
    wrong: 'signs only the body in the Standard Webhooks signature',
    caughtBy: ['D7-standard-webhooks'],
    notice: (notice) => ({
      ...notice,
      headers: { ...notice.headers, 'webhook-signature': `v1,${'A'.repeat(43)}=` },
    }),
  },
  {
    name: 'no-event-id',
    clause: 'D7',
    wrong: 'sends no `X-Service-Event-Id`',
    caughtBy: ['D7-attempt-headers'],
    notice: (notice) => {
      const { 'x-service-event-id': _id, ...headers } = notice.headers;
      return { ...notice, headers };
    },
  },
  {
    name: 'updated-at-stands-still',
    clause: 'D9',
    wrong: 'keeps the old `updatedAt` after a change',
    caughtBy: ['D9-updated-at', 'D9-order'],
    answer: changeJson(
      'GET /purchase-boosts',
      'boosts.*.updatedAt',
      replaceWith('2026-01-01T00:00:00.000Z'),
    ),
  },
  {
    name: 'too-large-is-400',
    clause: 'D10',
    wrong: 'returns 400 for a body that is too large',
    caughtBy: ['D10-too-large'],
    answer: replaceErrorEverywhere('payload_too_large', () =>
      jsonResponse(400, { error: 'invalid_request' }),
    ),
  },
  {
    name: 'wrong-type-is-400',
    clause: 'D10',
    wrong: 'returns 400 for a body of another type',
    caughtBy: ['D10-media-type'],
    answer: replaceErrorEverywhere('unsupported_media_type', () =>
      jsonResponse(400, { error: 'invalid_request' }),
    ),
  },
  {
    name: 'no-rate-headers',
    clause: 'D10',
    wrong: 'sends no rate limit headers',
    caughtBy: ['D10-rate-headers'],
    answer: (answer) => withHeader(answer, 'ratelimit', null),
  },
  {
    name: 'no-help',
    clause: 'D10',
    wrong: 'sends errors without `Link: rel="help"`',
    caughtBy: ['D10-help'],
    answer: (answer) => withHeader(answer, 'link', null),
  },
  {
    name: 'json-as-text',
    clause: '4',
    wrong: 'sends JSON as `text/plain`',
    caughtBy: ['4.1-answer', 'D10-json-type', 'D10-head-and-get-body'],
    answer: (answer, { request }) =>
      isRequestTo(request, 'GET /connection')
        ? withHeader(answer, 'content-type', 'text/plain')
        : answer,
  },
  {
    name: 'scope-not-challenged',
    clause: 'D8',
    wrong: 'does not name the missing scope in `WWW-Authenticate`',
    caughtBy: ['D8-scope-challenge'],
    answer: (answer) =>
      answer.status === 403 ? withHeader(answer, 'www-authenticate', null) : answer,
  },
  {
    name: 'identity-for-everyone',
    clause: 'D8',
    wrong: 'adds an `id_token` without `openid`',
    caughtBy: ['D8-openid'],
    answer: changeResponses('POST /auth/oauth2/token', (answer) => ({
      ...answer,
      body: Buffer.from(
        JSON.stringify(changeAt(parseJsonBody(answer), 'id_token', (token) => token ?? 'a.b.c')),
      ),
    })),
  },
];
