import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectKnown, expectSame, expectShape, NotRun } from '../expect.ts';
import { readPages } from '../feed.ts';
import { boolean, object, nonEmptyString, uuid } from '../shape.ts';
import type { Context } from '../context.ts';

const test = testFactory('2.6');

async function everyData(context: Context): Promise<readonly { readonly id: string }[]> {
  const pages = await readPages(context, await context.sharedConnection());
  return pages.flatMap(({ changes }) => changes.map(({ data }) => data));
}

export const tests: readonly ConformanceTest[] = [
  test('id', 'every record’s data has an id', async (context) => {
    const data = await everyData(context);
    expect(data.length > 0, 'a record', data);
    for (const value of data) expectShape('a record’s data', value, object({ id: uuid }));
  }),

  test('is-active', 'data of a site or location has isActive', async (context) => {
    const { siteIds, locationIds } = context.shop.stock;
    const places = new Set([...siteIds, ...locationIds]);
    for (const value of (await everyData(context)).filter(({ id }) => places.has(id))) {
      expectShape('a site’s or location’s data', value, object({ isActive: boolean }));
    }
  }),

  test('unit-status', 'data of a unit has a status', async (context) => {
    const units = new Set(context.shop.stock.unitIds);
    const data = (await everyData(context)).filter(({ id }) => units.has(id));
    expect(data.length > 0, 'a record of a unit', data);
    for (const value of data) {
      expectShape('a unit’s data', value, object({ status: nonEmptyString }));
    }
  }),

  test('values', 'the `data` of a record has the current values of its object', async (context) => {
    const known = new Map(context.shop.stock.values?.map((value) => [value.id, value]));
    if (known.size === 0) throw new NotRun('the target has no stock.values');
    const held = new Map((await everyData(context)).map((data) => [data.id, data]));
    for (const [id, value] of known) {
      const data = held.get(id);
      expect(data !== undefined, `a record of ${id}`, held.size);
      const missing = Object.keys(value).filter((name) => !(name in data));
      expectSame(`the missing members of ${id}`, missing, []);
      expectKnown(`data of ${id}`, data, value);
    }
  }),

  test('kinds', 'there are records of sites, storage locations and units', async (context) => {
    const ids = new Set((await everyData(context)).map(({ id }) => id));
    const { siteIds, locationIds, unitIds } = context.shop.stock;
    for (const [what, known] of Object.entries({
      site: siteIds,
      location: locationIds,
      unit: unitIds,
    })) {
      expect(
        known.some((id) => ids.has(id)),
        `a record of a ${what}`,
        ids.size,
      );
    }
  }),
];
