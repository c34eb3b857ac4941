import type { HttpResponse } from '../response.ts';
import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import {
  expect,
  expectBody,
  expectSame,
  expectShape,
  expectStatus,
  jsonOf,
  NotRun,
} from '../expect.ts';
import { readChanges } from '../records.ts';
import {
  boostList,
  card,
  cardList,
  connection,
  siteList,
  webhookRegistration,
} from '../resources.ts';
import type { Shape } from '../shape.ts';

const test = testFactory('D2');

function exact<Value>(response: HttpResponse, shape: Shape<Value>): Value {
  expectStatus(response, 200);
  return expectShape(response.request, jsonOf(response), shape, true);
}

/** ISO 8601 in UTC with milliseconds. */
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** Matches members with times, at any depth. */
const INSTANT_MEMBERS = /"[A-Za-z]+At":"([^"]*)"/g;

function expectInstants(response: HttpResponse): void {
  const found = [...response.text.matchAll(INSTANT_MEMBERS)];
  expect(found.length > 0, `times in the response of ${response.request}`, response.text);
  for (const [, instant = ''] of found) {
    expect(INSTANT.test(instant), 'a time in UTC with milliseconds', instant);
  }
}

async function everyRead(context: Context): Promise<readonly HttpResponse[]> {
  const app = await context.sharedConnection();
  return [
    await app.get('/connection'),
    await app.get('/purchase-boosts', { include: 'filled' }),
    await app.get('/inventory/sites'),
    await app.get('/inventory/changes'),
  ];
}

export const tests: readonly ConformanceTest[] = [
  test(
    'exact-fields',
    'a response has exactly the fields in the table of its object',
    async (context) => {
      const app = await context.connected({ app: context.spareApp });
      const { target } = context;
      exact(await app.get('/connection'), connection);
      exact(await app.get('/purchase-boosts', { include: 'filled' }), boostList);
      exact(await app.get('/inventory/sites'), siteList);
      exact(await app.get(`/cards/${target.catalog.card.id}`), card);
      exact(await app.get('/cards', { search: target.catalog.card.name }), cardList);
      exact(await app.put('/webhook', { url: target.webhook.acceptableUrl }), webhookRegistration);
      exact(await app.get('/connection'), connection);
      await app.delete('/webhook');
    },
  ),

  test(
    'every-card-field',
    'every field of a card is present, and null when it has no value',
    async (context) => {
      const app = await context.sharedConnection();
      const known = context.target.catalog.card;
      const shown = expectBody(await app.get(`/cards/${known.id}`), 200, card);
      expectSame('the fields', Object.keys(shown).toSorted(), CARD_FIELDS.toSorted());
    },
  ),

  test(
    'product-kind',
    'the target of a boost for a product has `kind: "product"`',
    async (context) => {
      const app = await context.sharedConnection();
      const { text } = await app.get('/purchase-boosts', { include: 'filled' });
      expect(/"kind"\s*:\s*"product"/.test(text), 'a target of the kind product', text);
    },
  ),

  test('every-site-field', 'a site or location has every field', async (context) => {
    const app = await context.sharedConnection();
    const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
    for (const site of sites) {
      const missing = SITE_FIELDS.filter((name) => !Object.hasOwn(site, name));
      expectSame('the missing fields of a site', missing, []);
      for (const location of site.locations) {
        const lacking = LOCATION_FIELDS.filter((name) => !Object.hasOwn(location, name));
        expectSame('the missing fields of a location', lacking, []);
      }
    }
  }),

  test(
    'records',
    'a record has kind, id, changedAt and data, and kind is site, location or unit',
    async (context) => {
      const changes = await readChanges(context);
      const kinds = [...new Set(changes.map(({ kind }) => kind))].toSorted();
      expectSame('the kinds', kinds, ['location', 'site', 'unit']);
      for (const { id, data } of changes) expectSame('data.id', data.id, id);
    },
  ),

  test('unit', 'a unit has exactly the fields of decision 2', async (context) => {
    const units = (await readChanges(context)).filter(({ kind }) => kind === 'unit');
    expect(units.length > 0, 'a unit', units);
  }),

  test(
    'site-records',
    'data of a site equals the site in GET /inventory/sites',
    async (context) => {
      const app = await context.sharedConnection();
      const changes = await readChanges(context);
      const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
      const locations = sites.flatMap((site) => site.locations);
      for (const shown of [...sites, ...locations]) {
        expectSame('the record’s data', changes.find(({ id }) => id === shown.id)?.data, shown);
      }
    },
  ),

  test('unit-photos', 'a unit lists its photos with their ETags', async (context) => {
    const { photo, unitWithoutPhotoId } = context.shop.stock;
    const app = await context.sharedConnection();
    for (const { id, data } of await readChanges(context)) {
      const photos = 'photos' in data ? data.photos : [];
      if (id === unitWithoutPhotoId) expectSame('the photos of a unit without photos', photos, []);
      if (id !== photo?.unitId) continue;
      expectSame('the sides', photos.map(({ side }) => side).toSorted(), photo.sides.toSorted());
      for (const { side, etag, contentType } of photos) {
        const response = await app.get(`/inventory/items/${id}/photos/${side}`);
        const served = ['etag', 'content-type'].map((name) => response.headers.get(name)?.[0]);
        expectSame('ETag and content type', served, [etag, contentType]);
      }
    }
  }),

  test('cost', 'costMinor is null unless the shop shares costs with the app', async (context) => {
    const id = context.shop.stock.unitWithSecretCostId;
    if (id === null) throw new NotRun('the target has no stock.unitWithSecretCostId');
    const unit = (await readChanges(context)).find((record) => record.id === id)?.data;
    expectSame('costMinor', unit !== undefined && 'costMinor' in unit && unit.costMinor, null);
  }),

  test(
    'statuses',
    'a unit’s status is the value that decision 2 defines for it',
    async (context) => {
      const { statuses } = context.shop.stock;
      const words = new Map(
        Object.entries(statuses).flatMap(([word, ids]) => ids.map((id) => [id, word] as const)),
      );
      if (words.size === 0) throw new NotRun('the target has no stock.statuses');
      for (const { id, data } of await readChanges(context)) {
        const word = words.get(id);
        if (word !== undefined) expectSame('status', 'status' in data && data.status, word);
      }
    },
  ),

  test(
    'stamps',
    'a change updates changedAt and updatedAt of the changed object and of no other object',
    async (context) => {
      const before = new Map((await readChanges(context)).map((record) => [record.id, record]));
      const changed = new Set<string>();
      for (const kind of ['unit', 'location', 'site'] as const) {
        changed.add(await context.control.changeStock(context.shop.id, kind));
      }
      for (const record of await readChanges(context)) {
        const old = before.get(record.id);
        // A change to a location also changes its site.
        const isOther = !changed.has(record.id) && record.kind !== 'site';
        if (old === undefined) continue;
        if (isOther) {
          expectSame(`an unchanged object: ${record.id}`, record, old);
          continue;
        }
        if (!changed.has(record.id)) continue;
        for (const [what, after, then] of [
          ['changedAt', record.changedAt, old.changedAt],
          ['updatedAt', record.data.updatedAt ?? '', old.data.updatedAt ?? ''],
        ] as const) {
          expect(Date.parse(after) > Date.parse(then), `a later ${what} than ${then}`, after);
        }
      }
    },
  ),

  test('instants', 'times are ISO 8601 in UTC with milliseconds', async (context) => {
    for (const response of await everyRead(context)) expectInstants(response);
  }),
];

const CARD_FIELDS = [
  'id',
  'name',
  'localizedNames',
  'cardNumber',
  'setTotalRaw',
  'janCode',
  'languageCode',
  'variant',
  'finish',
  'imageUrl',
  'rarity',
  'set',
  'game',
];

const SITE_FIELDS = [
  'id',
  'code',
  'name',
  'kind',
  'countryCode',
  'timezone',
  'isActive',
  'createdAt',
  'updatedAt',
  'locations',
];
const LOCATION_FIELDS = [
  'id',
  'siteId',
  'code',
  'name',
  'kind',
  'isActive',
  'createdAt',
  'updatedAt',
];
