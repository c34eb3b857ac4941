import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectSame, expectShape, NotRun } from '../expect.ts';
import { headOf, readPages } from '../feed.ts';
import { siteList } from '../resources.ts';
import { object, nonEmptyString } from '../shape.ts';

const test = testFactory('3.3');

/** Returns the data of an object in the feed after a cursor. */
async function dataAfter(context: Context, cursor: string, id: string): Promise<unknown> {
  const pages = await readPages(context, await context.sharedConnection(), { cursor });
  return pages.flatMap(({ changes }) => changes).find(({ data }) => data.id === id)?.data;
}

export const tests: readonly ConformanceTest[] = [
  ...(['site', 'location'] as const).map((kind) =>
    test(
      `inactive-${kind}`,
      `a ${kind} that is deactivated has isActive false, and is still listed`,
      async (context) => {
        const app = await context.sharedConnection();
        const cursor = await headOf(app);
        const id = await context.control.leaveStock(context.shop.id, kind);
        const data = await dataAfter(context, cursor, id);
        expectSame('isActive in the feed', isActiveOf(data), false);
        const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
        const places = [...sites, ...sites.flatMap(({ locations }) => locations)];
        const shown = places.find((place) => place.id === id);
        expectSame('isActive in GET /inventory/sites', shown?.isActive, false);
      },
    ),
  ),

  test(
    'unit-leaves',
    'a unit that leaves stock gets another status, and stays in the feed',
    async (context) => {
      const app = await context.sharedConnection();
      const before = await headOf(app);
      const id = await context.control.leaveStock(context.shop.id, 'unit');
      const data = await dataAfter(context, before, id);
      const { status } = expectShape('the unit', data, object({ status: nonEmptyString }));
      expect(status !== 'in_stock', 'a status of a unit that has left stock', status);
      const everything = await readPages(context, app);
      const ids = everything.flatMap(({ changes }) => changes.map((change) => change.data.id));
      expect(ids.includes(id), 'the unit in a full read', ids.length);
    },
  ),

  test(
    'status-tells',
    'a unit that has left stock has a different status from a unit in stock',
    async (context) => {
      const { unitInStockId } = context.shop.stock;
      if (unitInStockId === null) throw new NotRun('the target has no stock.unitInStockId');
      const inStockStatus = await statusOf(context, unitInStockId);
      const left = await context.control.leaveStock(context.shop.id, 'unit');
      const status = await statusOf(context, left);
      expect(status !== inStockStatus, `a status other than ${inStockStatus}`, status);
    },
  ),
];

/** Returns the status of a unit in a full read. */
async function statusOf(context: Context, id: string): Promise<string> {
  const pages = await readPages(context, await context.sharedConnection());
  const data = pages
    .flatMap(({ changes }) => changes)
    .find((change) => change.data.id === id)?.data;
  return expectShape('the unit', data, object({ status: nonEmptyString })).status;
}

function isActiveOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null ? Reflect.get(data, 'isActive') : undefined;
}
