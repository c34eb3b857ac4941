import { isObject } from '../expect.ts';
import type { Break } from './break.ts';
import {
  changeResponses,
  replaceWith,
  remove,
  changeJson,
  changeList,
  replaceError,
  isRequestTo,
  jsonResponse,
  queryOf,
  changeRequests,
  withJson,
  withQuery,
} from './edits.ts';

const SEARCH = 'GET /cards';
const CARD = 'GET /cards/:id';

/** Violations of the rules for the catalog (specification 2.2, 4.8, 4.9, 8). */
export const cardBreaks: readonly Break[] = [
  {
    name: 'names-as-a-list',
    clause: '2.2',
    wrong: 'sends `localizedNames` as a list',
    caughtBy: ['2.2-fields-of-one', '2.2-same-everywhere'],
    answer: changeJson(CARD, 'localizedNames', (names) =>
      isObject(names)
        ? Object.entries(names).map(([language, name]) => ({ language, name }))
        : names,
    ),
  },
  {
    name: 'rarity-as-text',
    clause: '2.2',
    wrong: 'sends only the code of `rarity`',
    caughtBy: ['2.2-fields-of-one', '2.2-same-everywhere'],
    answer: changeJson(CARD, 'rarity', (rarity) => (rarity === null ? null : 'SR')),
  },
  {
    name: 'image-without-address',
    clause: '2.2',
    wrong: 'sends an empty `imageUrl`',
    caughtBy: ['2.2-fields-of-one', '2.2-same-everywhere'],
    answer: changeJson([CARD], 'imageUrl', replaceWith('')),
  },
  {
    name: 'card-number-as-number',
    clause: '2.2',
    wrong: 'sends `cardNumber` as a number',
    caughtBy: ['2.2-fields-of-one', '2.2-same-everywhere'],
    answer: changeJson([CARD], 'cardNumber', replaceWith(777)),
  },
  {
    name: 'card-of-no-game',
    clause: '2.2',
    wrong: 'sends null for `game`',
    caughtBy: ['2.2-fields-of-many', '2.2-fields-of-one'],
    answer: changeResponses([SEARCH, CARD], (answer) =>
      withJson(withJson(answer, 'cards.*.game', replaceWith(null)), 'game', (game) =>
        game === undefined ? undefined : null,
      ),
    ),
  },
  {
    name: 'search-of-151-characters-taken',
    clause: '4.8',
    wrong: 'accepts a search of 151 characters',
    caughtBy: ['4.8-search-characters', '4.8-search-length'],
    answer: (answer, { request }) =>
      isRequestTo(request, SEARCH) && [...(queryOf(request).get('search') ?? '')].length > 150
        ? jsonResponse(200, { cards: [] })
        : answer,
  },
  {
    name: 'search-of-150-characters-refused',
    clause: '4.8',
    wrong: 'refuses a search of 150 characters',
    caughtBy: ['4.8-search-characters', '4.8-search-length'],
    request: changeRequests(SEARCH, ({ request }) =>
      [...(queryOf(request).get('search') ?? '')].length === 150
        ? jsonResponse(400, { error: 'invalid_request' })
        : request,
    ),
  },
  {
    name: 'search-counted-in-bytes',
    clause: '4.8',
    wrong: 'counts the bytes of a search instead of its characters',
    caughtBy: ['4.8-search-characters'],
    request: changeRequests(SEARCH, ({ request }) =>
      Buffer.byteLength(queryOf(request).get('search') ?? '') > 150
        ? jsonResponse(400, { error: 'invalid_request' })
        : request,
    ),
  },
  {
    name: 'search-not-needed',
    clause: '4.8',
    wrong: 'lists cards without a search',
    caughtBy: ['4.8-search-required'],
    answer: (answer, { request }) =>
      isRequestTo(request, SEARCH) && !queryOf(request).has('search')
        ? jsonResponse(200, { cards: [] })
        : answer,
  },
  {
    name: 'empty-search-taken',
    clause: '4.8',
    wrong: 'accepts an empty search',
    caughtBy: ['4.8-search-length'],
    answer: (answer, { request }) =>
      isRequestTo(request, SEARCH) && queryOf(request).get('search') === ''
        ? jsonResponse(200, { cards: [] })
        : answer,
  },
  {
    name: 'limit-of-26-taken',
    clause: '4.8',
    wrong: 'treats a `limit` of 26 as 25',
    caughtBy: ['4.8-limit-bounds'],
    request: changeRequests(SEARCH, ({ request }) =>
      queryOf(request).get('limit') === '26'
        ? withQuery(request, (query) => query.set('limit', '25'))
        : request,
    ),
  },
  {
    name: 'limit-of-0-taken',
    clause: '4.8',
    wrong: 'treats a `limit` of 0 as missing',
    caughtBy: ['4.8-limit-bounds'],
    request: changeRequests(SEARCH, ({ request }) =>
      queryOf(request).get('limit') === '0'
        ? withQuery(request, (query) => query.delete('limit'))
        : request,
    ),
  },
  {
    name: 'limit-is-ignored',
    clause: '4.8',
    wrong: 'ignores `limit` and sends 25 cards',
    caughtBy: ['4.8-limit-integer', '4.8-limit-holds'],
    request: changeRequests(SEARCH, ({ request }) => {
      const limit = Number(queryOf(request).get('limit'));
      return limit >= 1 && limit <= 25
        ? withQuery(request, (query) => query.delete('limit'))
        : request;
    }),
  },
  {
    name: 'more-than-25-cards',
    clause: '4.8',
    wrong: 'sends 26 cards',
    caughtBy: ['4.8-limit-holds'],
    answer: changeJson(
      SEARCH,
      'cards',
      changeList((cards) => (cards.length === 25 ? [...cards, cards[0]] : cards)),
    ),
  },
  {
    name: 'default-limit-of-10',
    clause: '8',
    wrong: 'sends 10 cards without a `limit`',
    caughtBy: ['2.2-fields-of-many', '4.8-limit-holds'],
    request: changeRequests(SEARCH, ({ request }) =>
      queryOf(request).has('limit')
        ? request
        : withQuery(request, (query) => query.set('limit', '10')),
    ),
  },
  {
    name: 'names-only',
    clause: '4.8',
    wrong: 'finds nothing by a JAN code or an id',
    caughtBy: ['4.8-by-id', '4.8-by-janCode'],
    answer: changeResponses(SEARCH, (answer, { request }) =>
      /^\d{13}$|^[0-9a-f-]{36}$/.test(queryOf(request).get('search') ?? '')
        ? withJson(answer, 'cards', replaceWith([]))
        : answer,
    ),
  },
  {
    name: 'numbers-not-found',
    clause: '4.8',
    wrong: 'finds nothing by a card number',
    caughtBy: ['4.8-by-cardNumber'],
    answer: changeResponses(SEARCH, (answer, { request }) =>
      /^[A-Z]+-\d+$/i.test(queryOf(request).get('search') ?? '')
        ? withJson(answer, 'cards', replaceWith([]))
        : answer,
    ),
  },
  {
    name: 'search-scope-not-asked',
    clause: '4.8',
    wrong: 'lets a token without `inventory:read` search for cards',
    caughtBy: ['4-scope-purchase-boosts-read', '4-scope-none'],
    answer: replaceError(SEARCH, 'insufficient_scope', () => jsonResponse(200, { cards: [] })),
  },
  {
    name: 'search-without-its-list',
    clause: '4.8',
    wrong: 'omits `cards` where nothing is found',
    caughtBy: ['4.8-nothing', '4.8-only-active'],
    answer: changeJson(SEARCH, 'cards', (cards) =>
      Array.isArray(cards) && cards.length === 0 ? remove() : cards,
    ),
  },
  {
    name: 'unknown-card-is-400',
    clause: '4.9',
    wrong: 'returns 400 for an unknown card',
    caughtBy: ['4.9-unknown'],
    answer: replaceError(CARD, 'not_found', () => jsonResponse(400, { error: 'invalid_request' })),
  },
  {
    name: 'unknown-card-is-null',
    clause: '4.9',
    wrong: 'returns 200 and null for an unknown card',
    caughtBy: ['4.9-unknown'],
    answer: replaceError(CARD, 'not_found', () => jsonResponse(200, null)),
  },
  {
    name: 'card-in-a-list',
    clause: '4.9',
    wrong: 'returns one card as a list with one element',
    caughtBy: ['4.9-one'],
    answer: changeJson(CARD, '', (card) => ({ cards: [card] })),
  },
];
