import { isObject } from '../expect.ts';
import type { Break } from './break.ts';
import {
  changeResponses,
  replaceWith,
  changeAt,
  changeJson,
  changeList,
  isRequestTo,
  jsonResponse,
  parseJsonBody,
  pathOf,
  queryOf,
  changeRequests,
  withJson,
} from './edits.ts';

const BOOSTS = 'GET /purchase-boosts';
const SITES = 'GET /inventory/sites';
const CHANGES = 'GET /inventory/changes';
const CARD = 'GET /cards/:id';
/** Boosts of the first shop that must not be listed: scheduled, paused, ended, expired. */
const HIDDEN = [7, 8, 9, 10].map(
  (number) => `d1f0c0de-0015-4000-8000-${String(number).padStart(12, '0')}`,
);
/** The offset of Japan's time zone. */
const JAPAN_AHEAD_MS = 32_400_000;
/** The page size when the request has no limit. */
const PAGE = 500;

type Members = Readonly<Record<string, unknown>>;

/** Returns a change that keeps only these members of an object and leaves other values alone. */
function only(...names: readonly string[]): (value: unknown) => unknown {
  return (value) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
      : value;
}

/** Changes every nested object, innermost first. */
function everyObject(value: unknown, change: (members: Members) => Members): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => everyObject(each, change));
  if (!isObject(value)) return value;
  return change(
    Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, everyObject(each, change)]),
    ),
  );
}

/** Breaks that return well-formed responses with wrong values (spec 2.2 to 2.4, 2.6, 3.3, 4.6). */
export const valueBreaks: readonly Break[] = [
  {
    name: 'feed-by-offset',
    clause: '4.6',
    wrong: 'pages by offset, so a change during a read shifts other objects',
    caughtBy: ['4.6-moving'],
    request: changeRequests(CHANGES, ({ request }) =>
      /^o\d+$/.test(queryOf(request).get('cursor') ?? '') ? jsonResponse(200, {}) : request,
    ),
    answer: changeResponses(CHANGES, async (answer, { request, forward }) => {
      const [cursor, limit] = ['cursor', 'limit'].map((name) => queryOf(request).get(name) ?? '');
      if (cursor !== '' && !/^o\d+$/.test(cursor ?? '')) return answer;
      const from = Number((cursor ?? '').slice(1));
      const to = from + (Number(limit) || PAGE);
      const whole = parseJsonBody(
        await forward({ ...request, target: `${pathOf(request)}?limit=1000` }),
      );
      if (!isObject(whole) || !Array.isArray(whole['changes'])) return answer;
      const hasMore = to < whole['changes'].length;
      const nextCursor = hasMore ? `o${to}` : whole['nextCursor'];
      return jsonResponse(200, { changes: whole['changes'].slice(from, to), nextCursor, hasMore });
    }),
  },
  {
    name: 'price-times-hundred',
    clause: '2.3',
    wrong: 'multiplies prices by a hundred, although yen has no minor unit',
    caughtBy: ['2.3-values'],
    answer: changeJson(BOOSTS, 'boosts.*.priceMinor', (price) => Number(price) * 100),
  },
  {
    name: 'currency-of-no-list',
    clause: '2.3',
    wrong: 'sends the currency `YEN`',
    caughtBy: ['2.3-currency', '2.3-values'],
    answer: changeJson(BOOSTS, 'boosts.*.currency', replaceWith('YEN')),
  },
  {
    name: 'note-is-cut',
    clause: '2.3',
    wrong: 'cuts notes at 100 characters',
    caughtBy: ['2.3-values'],
    answer: changeJson(BOOSTS, 'boosts.*.note', (note) =>
      typeof note === 'string' ? [...note].slice(0, 100).join('') : note,
    ),
  },
  {
    name: 'note-with-entities',
    clause: '2.3',
    wrong: 'escapes notes as HTML',
    caughtBy: ['2.3-values'],
    answer: changeJson(BOOSTS, 'boosts.*.note', (note) =>
      typeof note === 'string'
        ? note.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
        : note,
    ),
  },
  {
    name: 'times-never-told',
    clause: '2.3',
    wrong: 'sends null for `startsAt` and `endsAt` even if they are set',
    caughtBy: ['2.3-values'],
    answer: changeResponses(BOOSTS, (answer) =>
      withJson(
        withJson(answer, 'boosts.*.startsAt', replaceWith(null)),
        'boosts.*.endsAt',
        replaceWith(null),
      ),
    ),
  },
  {
    name: 'local-time-with-z',
    clause: '2.3',
    wrong: 'sends the local time of Japan with a `Z`',
    caughtBy: ['2.3-values'],
    answer: changeJson(BOOSTS, 'boosts.*.endsAt', (at) =>
      typeof at === 'string' ? new Date(Date.parse(at) + JAPAN_AHEAD_MS).toISOString() : at,
    ),
  },
  {
    name: 'always-one-more',
    clause: '2.3',
    wrong: 'sends 1 as every remaining quantity',
    caughtBy: ['2.3-values'],
    answer: changeJson(BOOSTS, 'boosts.*.remainingQuantity', (left) =>
      typeof left === 'number' && left > 0 ? 1 : left,
    ),
  },
  {
    name: 'own-grades-as-third-party',
    clause: '2.3',
    wrong: 'sends the `serviceKind` `third_party` for the shop’s own grades',
    caughtBy: ['2.3-values'],
    answer: changeJson(BOOSTS, 'boosts.*.target.grade', (grade) =>
      isObject(grade) ? { ...grade, serviceKind: 'third_party' } : grade,
    ),
  },
  {
    name: 'bare-boost-card',
    clause: 'D2',
    wrong: 'sends only `id`, `name` and `game` of a boost’s card',
    caughtBy: ['D2-exact-fields'],
    answer: changeJson(BOOSTS, 'boosts.*.target.card', only('id', 'name', 'game')),
  },
  {
    name: 'bare-boost-product',
    clause: 'D2',
    wrong: 'sends only `id` and `productKind` of a boost’s product',
    caughtBy: ['D2-exact-fields'],
    answer: changeJson(BOOSTS, 'boosts.*.target.product', only('id', 'productKind')),
  },
  {
    name: 'bare-grade',
    clause: 'D2',
    wrong: 'sends only the `serviceKind` of a grade',
    caughtBy: ['D2-exact-fields'],
    answer: changeJson(BOOSTS, 'boosts.*.target.grade', only('serviceKind')),
  },
  {
    name: 'stocked-card-without-finish',
    clause: 'D2',
    wrong: 'omits `variant` and `finish` from the cards of units',
    caughtBy: ['D2-unit'],
    answer: changeJson(CHANGES, 'changes.*.data.item.card', (card) => {
      if (!isObject(card)) return card;
      const { variant: _variant, finish: _finish, ...others } = card;
      return others;
    }),
  },
  {
    name: 'code-for-name',
    clause: '2.2',
    wrong: 'swaps code and name of rarity, set and game',
    caughtBy: ['2.2-values'],
    answer: changeResponses(CARD, (answer) =>
      withJson(answer, '', (card) =>
        everyObject(card, (members) =>
          'code' in members
            ? { ...members, code: members['name'], name: members['code'] }
            : members,
        ),
      ),
    ),
  },
  {
    name: 'language-by-its-name',
    clause: '2.2',
    wrong: 'sends 日本語 for a `languageCode`',
    caughtBy: ['2.2-values'],
    answer: changeJson(CARD, 'languageCode', replaceWith('日本語')),
  },
  {
    name: 'status-for-ever',
    clause: '3.3',
    wrong: 'sends the status `stocked` for every unit, even after it has left stock',
    caughtBy: ['3.3-status-tells', 'D2-statuses'],
    answer: changeJson(CHANGES, 'changes.*.data.status', (status) =>
      status === undefined ? undefined : 'stocked',
    ),
  },
  {
    name: 'updated-when-created',
    clause: 'D2',
    wrong: 'sends `createdAt` as the `updatedAt` of sites and locations',
    caughtBy: ['D2-stamps'],
    answer: (answer, { request }) =>
      isRequestTo(request, SITES) || isRequestTo(request, CHANGES)
        ? withJson(answer, '', (body) =>
            everyObject(body, (members) =>
              'isActive' in members ? { ...members, updatedAt: members['createdAt'] } : members,
            ),
          )
        : answer,
  },
  {
    name: 'changed-when-read',
    clause: 'D2',
    wrong: 'sends the time of reading as `changedAt`',
    caughtBy: ['D2-stamps'],
    answer: changeJson(CHANGES, 'changes.*.changedAt', () => new Date().toISOString()),
  },
  {
    name: 'hidden-boosts-listed',
    clause: '3.2',
    wrong: 'lists scheduled, paused, ended and expired boosts as open',
    caughtBy: ['3.2-never-scheduled', '3.2-never-paused', '3.2-never-ended', '3.2-never-expired'],
    answer: changeJson(
      BOOSTS,
      'boosts',
      changeList((boosts) => [
        ...boosts,
        ...HIDDEN.map((id) => (isObject(boosts[0]) ? { ...boosts[0], id } : id)),
      ]),
    ),
  },
  {
    name: 'happened-long-ago',
    clause: '6',
    wrong: 'sends a wrong time as `occurredAt`',
    caughtBy: ['6-occurred-at'],
    notice: (notice) => ({
      ...notice,
      body: Buffer.from(
        JSON.stringify(
          changeAt(parseJsonBody(notice), 'occurredAt', replaceWith('2026-01-01T00:00:00.000Z')),
        ),
      ),
    }),
  },
];
