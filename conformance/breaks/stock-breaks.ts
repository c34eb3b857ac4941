import { isObject } from '../expect.ts';
import type { Break } from './break.ts';
import {
  type ResponseHook,
  changeResponses,
  replaceWith,
  type Change,
  changeAt,
  changeJson,
  isRequestTo,
  withHeader,
  withJson,
} from './edits.ts';

const SITES = 'GET /inventory/sites';
const CHANGES = 'GET /inventory/changes';
const PHOTO = 'GET /inventory/items/:id/photos/:side';
const HEAD_PHOTO = 'HEAD /inventory/items/:id/photos/:side';

/** Changes every site and location, both in the list and in the feed. */
function inSitesAndLocations(change: Change): ResponseHook {
  return changeResponses([SITES, CHANGES], (answer) =>
    ['sites.*', 'sites.*.locations.*', 'changes.*.data', 'changes.*.data.locations.*'].reduce(
      (changed, place) =>
        withJson(changed, place, (data) => (isSiteOrLocation(data) ? change(data) : data)),
      answer,
    ),
  );
}

function isSiteOrLocation(value: unknown): boolean {
  return isObject(value) && 'isActive' in value;
}

/** Changes a member of every unit in the feed. */
function inUnitData(place: string, change: Change): ResponseHook {
  return changeJson(CHANGES, 'changes.*', (record) =>
    isObject(record) && record['kind'] === 'unit'
      ? changeAt(record, `data.${place}`, (value) => (value === undefined ? value : change(value)))
      : record,
  );
}

/** The card that the break `one-card-for-all-units` shows in every unit. */
const CARD = { id: 'c0f0c0de-0003-4000-8000-000000000009', name: '名の違う札' };

/** Breaks that return well-formed stock with wrong values (spec 2.4, 2.6, 4.7). */
export const stockBreaks: readonly Break[] = [
  {
    name: 'place-code-for-name',
    clause: '2.4',
    wrong: 'swaps `code` and `name` of sites and locations',
    caughtBy: ['2.4-values', '2.6-values'],
    answer: inSitesAndLocations((place) =>
      isObject(place) ? { ...place, code: place['name'], name: place['code'] } : place,
    ),
  },
  {
    name: 'every-site-in-utc',
    clause: '2.4',
    wrong: 'sends the time zone `UTC` and the country `US` for every site',
    caughtBy: ['2.4-values', '2.6-values'],
    answer: inSitesAndLocations((place) =>
      isObject(place) && 'timezone' in place
        ? { ...place, timezone: 'UTC', countryCode: 'US' }
        : place,
    ),
  },
  {
    name: 'unit-price-times-hundred',
    clause: '2.6',
    wrong: 'multiplies a unit’s price by a hundred, although yen has no minor unit',
    caughtBy: ['2.6-values'],
    answer: inUnitData('priceMinor', (price) => (typeof price === 'number' ? price * 100 : price)),
  },
  {
    name: 'every-unit-ungraded',
    clause: '2.6',
    wrong: 'sends null for the grade of every unit',
    caughtBy: ['2.6-values'],
    answer: inUnitData('item.grade', replaceWith(null)),
  },
  {
    name: 'every-unit-without-location',
    clause: '2.6',
    wrong: 'sends null for the location of every unit',
    caughtBy: ['2.6-values'],
    answer: inUnitData('locationId', replaceWith(null)),
  },
  {
    name: 'one-card-for-all-units',
    clause: '2.6',
    wrong: 'shows the same card in every unit',
    caughtBy: ['2.6-values'],
    answer: inUnitData('item.card', (card) => (isObject(card) ? { ...card, ...CARD } : card)),
  },
  {
    name: 'photo-cut-in-half',
    clause: '4.7',
    wrong:
      'sends only the first half of each photo, and the `Content-Length` of that half, even for HEAD',
    caughtBy: ['4.7-photo'],
    answer: changeResponses([PHOTO, HEAD_PHOTO], (answer, { request }) =>
      isRequestTo(request, HEAD_PHOTO)
        ? withHeader(
            answer,
            'content-length',
            String(Number(answer.headers['content-length']) >> 1),
          )
        : { ...answer, body: answer.body.subarray(0, answer.body.length >> 1) },
    ),
  },
  {
    name: 'photo-of-other-bytes',
    clause: '4.7',
    wrong: 'sends photos with text in place of the image data',
    caughtBy: ['4.7-photo'],
    answer: changeResponses(PHOTO, (answer) => ({
      ...answer,
      body: Buffer.concat([
        answer.body.subarray(0, 200),
        Buffer.alloc(Math.max(0, answer.body.length - 202), 'no photo '),
        answer.body.subarray(-2),
      ]),
    })),
  },
];
