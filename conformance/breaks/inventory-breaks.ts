import { isObject } from '../expect.ts';
import type { Break } from './break.ts';
import {
  changeResponses,
  replaceWith,
  REMOVED,
  remove,
  changeJson,
  changeList,
  replaceError,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  changeRequests,
  withHeader,
  withJson,
  withQuery,
  queryOf,
} from './edits.ts';

const SITES = 'GET /inventory/sites';
const CHANGES = 'GET /inventory/changes';
const PHOTO = 'GET /inventory/items/:id/photos/:side';

function isInactive(value: unknown): boolean {
  return isObject(value) && value['isActive'] === false;
}

function dataOf(record: unknown): unknown {
  return isObject(record) ? record['data'] : undefined;
}

function kindOf(record: unknown): unknown {
  return isObject(record) ? record['kind'] : undefined;
}

const leftStock = new Set<unknown>(['sold', 'returned', 'written_off', 'voided']);

function hasLeft(record: unknown): boolean {
  const data = dataOf(record);
  return isObject(data) && leftStock.has(data['status']);
}

/** A unit that belongs to no shop. */
const FOREIGN = {
  kind: 'unit',
  id: '00000000-0000-4000-8000-00000000f00d',
  changedAt: '2026-01-01T00:00:00.000Z',
  data: { id: '00000000-0000-4000-8000-00000000f00d', status: 'in_stock' },
};

/**
 * Violations of the rules for sites, the change feed and photos (spec 2.4, 2.6, 3.3, 4.5 to 4.7,
 * 5.5).
 */
export const inventoryBreaks: readonly Break[] = [
  {
    name: 'active-as-a-number',
    clause: '2.4',
    wrong: 'sends `isActive` as 0 and 1',
    caughtBy: ['D2-every-site-field', '2.4-fields', '2.4-site-id', '2.4-updated-at'],
    answer: changeJson(SITES, 'sites.*.isActive', Number),
  },
  {
    name: 'site-without-locations',
    clause: '2.4',
    wrong: 'omits `locations` from a site that has none',
    caughtBy: ['D2-every-site-field', '2.4-fields'],
    answer: changeJson(SITES, 'sites.*.locations', (list) =>
      Array.isArray(list) && list.length === 0 ? REMOVED : list,
    ),
  },
  {
    name: 'location-without-its-site',
    clause: '2.4',
    wrong: 'sends null for the `siteId` of locations',
    caughtBy: ['D2-every-site-field', '2.4-fields'],
    answer: changeJson(SITES, 'sites.*.locations.*.siteId', replaceWith(null)),
  },
  {
    name: 'inactive-sites-left-out',
    clause: '4.5',
    wrong: 'lists active sites only',
    caughtBy: ['4.5-all', '4.5-inactive'],
    answer: changeJson(SITES, 'sites.*', (site) => (isInactive(site) ? REMOVED : site)),
  },
  {
    name: 'inactive-locations-left-out',
    clause: '4.5',
    wrong: 'lists active locations only',
    caughtBy: ['4.5-all', '4.5-inactive'],
    answer: changeJson(SITES, 'sites.*.locations.*', (location) =>
      isInactive(location) ? REMOVED : location,
    ),
  },
  {
    name: 'sites-by-pages',
    clause: '4.5',
    wrong: 'lists the first two sites only',
    caughtBy: ['4.5-all', '4.5-inactive'],
    answer: changeJson(
      SITES,
      'sites',
      changeList((sites) => sites.slice(0, 2)),
    ),
  },
  {
    name: 'unit-without-status',
    clause: '2.6',
    wrong: 'omits `status` from units',
    caughtBy: ['2.6-unit-status'],
    answer: changeJson(CHANGES, 'changes.*.data.status', remove),
  },
  {
    name: 'record-without-id',
    clause: '2.6',
    wrong: 'omits `id` from the `data` of records',
    caughtBy: ['2.6-id', '2.6-is-active', '2.6-kinds'],
    answer: changeJson(CHANGES, 'changes.*.data.id', remove),
  },
  {
    name: 'record-without-kind',
    clause: 'D2',
    wrong: 'omits `kind` from records',
    caughtBy: ['D2-records', 'D2-site-records'],
    answer: changeJson(CHANGES, 'changes.*.kind', remove),
  },
  {
    name: 'site-in-the-feed-without-locations',
    clause: 'D2',
    wrong: 'omits `locations` from the sites of the feed',
    caughtBy: ['D2-records', 'D2-site-records'],
    answer: changeJson(CHANGES, 'changes.*.data.locations', remove),
  },
  {
    name: 'deactivation-not-shown',
    clause: '3.3',
    wrong: 'always shows sites and locations as active',
    caughtBy: ['3.3-inactive-location', '3.3-inactive-site'],
    answer: changeJson(CHANGES, 'changes.*.data', (data) =>
      isInactive(data) && isObject(data) ? { ...data, isActive: true } : data,
    ),
  },
  {
    name: 'deactivated-vanish',
    clause: '3.3',
    wrong: 'drops sites and locations from the feed when they are deactivated',
    caughtBy: ['3.3-inactive-location', '3.3-inactive-site'],
    answer: changeJson(CHANGES, 'changes.*', (record) =>
      isInactive(dataOf(record)) ? REMOVED : record,
    ),
  },
  {
    name: 'sold-units-vanish',
    clause: '3.3',
    wrong: 'drops units from the feed when they leave stock',
    caughtBy: ['3.3-unit-leaves'],
    answer: changeJson(CHANGES, 'changes.*', (record) => (hasLeft(record) ? REMOVED : record)),
  },
  {
    name: 'one-change-skipped',
    clause: '4.6',
    wrong: 'skips one change of each page',
    caughtBy: ['4.6-everything', '4.6-upsert'],
    answer: changeJson(
      CHANGES,
      'changes',
      changeList((changes) => changes.toSpliced(1, 1)),
    ),
  },
  {
    name: 'last-of-a-page-skipped',
    clause: '4.6',
    wrong: 'loses the last change of every page but the last',
    caughtBy: ['4.6-upsert', '4.6-chain'],
    answer: changeResponses(CHANGES, (answer) => {
      const page = parseJsonBody(answer);
      const hasMore = isObject(page) && page['hasMore'] === true;
      return hasMore
        ? withJson(
            answer,
            'changes',
            changeList((list) => list.slice(0, -1)),
          )
        : answer;
    }),
  },
  {
    name: 'no-more-too-early',
    clause: '4.6',
    wrong: 'sends `hasMore` false after the first page',
    caughtBy: ['4.6-chain'],
    answer: changeJson(CHANGES, 'hasMore', replaceWith(false)),
  },
  {
    name: 'more-as-text',
    clause: '4.6',
    wrong: 'sends `hasMore` as a string',
    caughtBy: ['4.6-envelope', '4.6-current-value'],
    answer: changeJson(CHANGES, 'hasMore', String),
  },
  {
    name: 'last-page-without-cursor',
    clause: '4.6',
    wrong: 'sends null for `nextCursor` on the last page',
    caughtBy: ['4.6-envelope', '4.6-current-value'],
    answer: changeResponses(CHANGES, (answer) => {
      const page = parseJsonBody(answer);
      const isLast = isObject(page) && page['hasMore'] === false;
      return isLast ? withJson(answer, 'nextCursor', replaceWith(null)) : answer;
    }),
  },
  {
    name: 'cursor-is-ignored',
    clause: '4.6',
    wrong: 'ignores the cursor, starts at the beginning, and sends `hasMore` false',
    caughtBy: ['4.6-end', '4.6-head'],
    request: changeRequests(CHANGES, ({ request }) =>
      withQuery(request, (query) => query.delete('cursor')),
    ),
    answer: changeJson(CHANGES, 'hasMore', replaceWith(false)),
  },
  {
    name: 'values-of-the-first-reading',
    clause: '4.6',
    wrong: 'shows each object as it was when it was first read',
    caughtBy: ['4.6-current-value'],
    answer: changeResponses(CHANGES, (answer, { memory }) =>
      withJson(answer, 'changes.*.data', (data) => {
        const id = isObject(data) ? String(data['id']) : '';
        const known = memory.get(id) ?? data;
        memory.set(id, known);
        return known;
      }),
    ),
  },
  {
    name: 'sites-missing-in-the-feed',
    clause: '4.6',
    wrong: 'sends records of units only',
    caughtBy: ['4.6-everything', '4.6-only-later'],
    answer: changeJson(CHANGES, 'changes.*', (record) =>
      kindOf(record) === 'unit' ? record : REMOVED,
    ),
  },
  {
    name: 'another-shops-unit',
    clause: '5.5',
    wrong: 'shows a unit of another shop',
    caughtBy: ['4.6-everything'],
    answer: changeJson(
      CHANGES,
      'changes',
      changeList((changes) => (changes.length > 0 ? [...changes, FOREIGN] : changes)),
    ),
  },
  {
    name: 'any-cursor-is-taken',
    clause: 'D4',
    wrong: 'reads from the beginning if the cursor is invented or belongs to another shop',
    caughtBy: ['D4-bad-cursor', 'D4-every-byte', 'D4-foreign-cursor'],
    answer: replaceError(CHANGES, 'invalid_request', () =>
      jsonResponse(200, { changes: [], nextCursor: 'a', hasMore: false }),
    ),
  },
  {
    name: 'cursor-of-201-characters',
    clause: 'D4',
    wrong: 'issues cursors of more than 200 characters',
    caughtBy: ['D4-cursor-form'],
    request: changeRequests(CHANGES, ({ request, memory }) => {
      const known = memory.get(`cursor ${queryOf(request).get('cursor') ?? ''}`);
      return typeof known === 'string'
        ? withQuery(request, (query) => query.set('cursor', known))
        : request;
    }),
    answer: changeResponses(CHANGES, (answer, { memory }) =>
      withJson(answer, 'nextCursor', (cursor) => {
        const long = String(cursor).padEnd(201, 'A');
        memory.set(`cursor ${long}`, cursor);
        return long;
      }),
    ),
  },
  {
    name: 'feed-scope-not-asked',
    clause: '4.6',
    wrong: 'allows reads of the feed without `inventory:read`',
    caughtBy: ['4-scope-purchase-boosts-read', '4-scope-none'],
    answer: replaceError(CHANGES, 'insufficient_scope', () =>
      jsonResponse(200, { changes: [], nextCursor: 'a', hasMore: false }),
    ),
  },
  {
    name: 'photo-as-bytes',
    clause: '4.7',
    wrong: 'sends photos as `application/octet-stream`',
    caughtBy: ['4.7-photo'],
    answer: changeResponses(PHOTO, (answer) =>
      withHeader(answer, 'content-type', 'application/octet-stream'),
    ),
  },
  {
    name: 'front-for-back',
    clause: '4.7',
    wrong: 'returns the photo of the front for either side',
    caughtBy: ['D2-unit-photos'],
    request: changeRequests(PHOTO, ({ request }) => ({
      ...request,
      target: request.target.replace('/photos/back', '/photos/front'),
    })),
  },
  {
    name: 'no-photo-told-apart',
    clause: 'D5',
    wrong:
      'returns one error for a unit that the shop does not have, and a different one for a unit without a photo',
    caughtBy: ['D5-not-found'],
    answer: (answer, { request }) =>
      isRequestTo(request, PHOTO) && answer.status === 404 && request.target.includes('/items/d1')
        ? jsonResponse(404, { error: 'photo_not_found' })
        : answer,
  },
  {
    name: 'another-shops-photo-is-403',
    clause: 'D5',
    wrong: 'returns 403 for units that the shop does not have',
    caughtBy: ['D5-not-found'],
    answer: (answer, { request }) =>
      isRequestTo(request, PHOTO) && answer.status === 404 && !request.target.includes('/items/d1')
        ? jsonResponse(403, { error: 'forbidden' })
        : answer,
  },
  {
    name: 'photo-without-etag',
    clause: 'D5',
    wrong: 'sends photos without `ETag`',
    caughtBy: ['D5-head', 'D5-headers'],
    answer: changeResponses(PHOTO, (answer) => withHeader(answer, 'etag', null)),
  },
  {
    name: 'condition-is-ignored',
    clause: 'D5',
    wrong: 'ignores `If-None-Match` and sends the photo again',
    caughtBy: ['D5-not-modified'],
    request: changeRequests(PHOTO, ({ request }) => {
      const { 'if-none-match': _condition, ...headers } = request.headers;
      return { ...request, headers };
    }),
  },
];
