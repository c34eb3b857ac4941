import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectKnown, expectSame, NotRun } from '../expect.ts';
import { siteList } from '../resources.ts';

const test = testFactory('2.4');

export const tests: readonly ConformanceTest[] = [
  test('fields', 'the fields of sites and locations have the specified types', async (context) => {
    const app = await context.sharedConnection();
    const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
    expect(sites.length > 0, 'a site', sites);
    expect(
      sites.some(({ locations }) => locations.length > 0),
      'a location',
      sites.length,
    );
  }),

  test('site-id', 'siteId of a location is the id of its site', async (context) => {
    const app = await context.sharedConnection();
    const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
    for (const { id, locations } of sites) {
      for (const { siteId } of locations) expectSame('siteId', siteId ?? id, id);
    }
  }),

  test(
    'values',
    'code, name, kind, country and time zone have the values of the site or location',
    async (context) => {
      const known = new Map(context.shop.stock.values?.map((value) => [value.id, value]));
      const app = await context.sharedConnection();
      const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
      const places = sites.flatMap((site) => [site, ...site.locations]);
      const compared = places.filter(({ id }) => known.has(id));
      if (compared.length === 0) throw new NotRun('stock.values of the target has no site');
      for (const place of compared) expectKnown('the site or location', place, known.get(place.id));
    },
  ),

  test('updated-at', 'updatedAt is not before createdAt', async (context) => {
    const app = await context.sharedConnection();
    const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
    for (const { createdAt, updatedAt } of sites) {
      if (createdAt === undefined || updatedAt === undefined) continue;
      expect(
        Date.parse(updatedAt) >= Date.parse(createdAt),
        `updatedAt after ${createdAt}`,
        updatedAt,
      );
    }
  }),
];
