import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectSame, NotRun } from '../expect.ts';
import { headOf, idsOfPages, readPage, readPages } from '../feed.ts';
import type { ChangePage } from '../resources.ts';

const test = testFactory('4.6');

function everyId({ shop }: Pick<Context, 'shop'>): readonly string[] {
  const { siteIds, locationIds, unitIds } = shop.stock;
  return [...siteIds, ...locationIds, ...unitIds].toSorted();
}

export const tests: readonly ConformanceTest[] = [
  test('everything', 'without a cursor, the read returns everything', async (context) => {
    for (const shop of context.target.shops) {
      const pages = await readPages(context, await context.sharedConnection({ shop }));
      const ids = [...new Set(idsOfPages(pages))];
      expectSame(`the objects of ${shop.slug}`, ids.toSorted(), everyId({ shop }));
    }
  }),

  test('envelope', 'each page has nextCursor and a boolean hasMore', async (context) => {
    const pages = await readPages(context, await context.sharedConnection());
    for (const { nextCursor } of pages) expect(nextCursor !== '', 'a nextCursor', nextCursor);
  }),

  test(
    'chain',
    'reading with nextCursor while hasMore is true returns every object',
    async (context) => {
      const pages = await readPages(context, await context.sharedConnection(), { limit: 7 });
      if (pages.length === 1 && context.target.names.limitParameter === null) {
        throw new NotRun(
          'all seeded objects fit on one page, and no parameter makes pages smaller',
        );
      }
      expect(pages.length > 1, 'several pages with a limit of 7', pages.length);
      const ids = idsOfPages(pages);
      expectSame('the objects', [...new Set(ids)].toSorted(), everyId(context));
      for (const { changes } of pages.slice(0, -1)) {
        expect(changes.length > 0, 'changes on each page but the last', changes);
      }
    },
  ),

  test('end', 'the nextCursor of the last page returns an empty page', async (context) => {
    const app = await context.sharedConnection();
    const pages = await readPages(context, app);
    const after = await readPage(context, app, pages.at(-1)?.nextCursor ?? null);
    expectSame('the page after the last one', [after.changes, after.hasMore], [[], false]);
  }),

  test('only-later', 'a cursor returns only what changed after it', async (context) => {
    const app = await context.sharedConnection();
    const cursor = await headOf(app);
    for (const kind of ['unit', 'location', 'site'] as const) {
      const id = await context.control.changeStock(context.shop.id, kind);
      const ids = idsOfPages(await readPages(context, app, { cursor }));
      expect(ids.includes(id), `the ${kind} that changed after the cursor`, ids);
    }
    expectSame(
      'a read from the head',
      (await readPage(context, app, await headOf(app))).changes,
      [],
    );
  }),

  test(
    'current-value',
    'data is the value at read time: an object that changed twice has its latest value',
    async (context) => {
      const app = await context.sharedConnection();
      const cursor = await headOf(app);
      await context.control.changeStock(context.shop.id, 'unit');
      const first = await readPage(context, app, cursor);
      await context.control.changeStock(context.shop.id, 'unit');
      const second = await readPage(context, app, cursor);
      expectSame(
        'the ids of the units after the same cursor',
        idsOfPages([second]),
        idsOfPages([first]),
      );
      expect(
        JSON.stringify(second.changes.map(({ data }) => data)) !==
          JSON.stringify(first.changes.map(({ data }) => data)),
        'data to have the second change',
        second.changes,
      );
    },
  ),

  test(
    'upsert',
    'upserting by id gives the current state: reading from an old cursor and a full read have the same result',
    async (context) => {
      const app = await context.sharedConnection();
      const held = new Map<string, string>();
      const take = (pages: Awaited<ReturnType<typeof readPages>>): void => {
        for (const { data } of pages.flatMap(({ changes }) => changes)) {
          held.set(data.id, JSON.stringify(data));
        }
      };
      const before = await readPages(context, app, { limit: 50 });
      take(before);
      await context.control.changeStock(context.shop.id, 'unit');
      await context.control.changeStock(context.shop.id, 'location');
      await context.control.leaveStock(context.shop.id, 'unit');
      take(await readPages(context, app, { cursor: before.at(-1)?.nextCursor ?? null }));
      const fresh = heldAfter(await readPages(context, app));
      const differing = [...fresh].filter(([id, text]) => held.get(id) !== text).map(([id]) => id);
      expectSame('the objects that differ between an incremental and a full read', differing, []);
      expectSame('the number of objects', held.size, fresh.size);
    },
  ),

  test('moving', 'no object is lost if an object changes during a read', async (context) => {
    const app = await context.sharedConnection();
    const unit = await context.control.changeStock(context.shop.id, 'unit');
    await context.control.changeStock(context.shop.id, 'location');
    await context.control.changeStock(context.shop.id, 'site');
    const ids = idsOfPages(await readPages(context, app));
    // The first page ends with the unit, which changes again before the next page is read.
    const first = await readPage(context, app, null, ids.lastIndexOf(unit) + 1);
    await context.control.changeStock(context.shop.id, 'unit');
    const rest = first.hasMore
      ? await readPages(context, app, { cursor: first.nextCursor, limit: 2 })
      : [];
    const end = rest.at(-1)?.nextCursor ?? first.nextCursor;
    const held = heldAfter([first, ...rest, ...(await readPages(context, app, { cursor: end }))]);
    const fresh = heldAfter(await readPages(context, app));
    const differing = [...fresh].filter(([id, text]) => held.get(id) !== text);
    expectSame(
      'the objects for which the interrupted read and a full read differ',
      differing.map(([id]) => id),
      [],
    );
  }),

  test('head', 'the cursor of GET /connection is the head', async (context) => {
    const app = await context.sharedConnection();
    const page = await readPage(context, app, await headOf(app));
    expectSame('the page from the head', [page.changes, page.hasMore], [[], false]);
  }),
];

/** Returns the objects that a reader has after upserting the pages by id. */
function heldAfter(pages: readonly ChangePage[]): ReadonlyMap<string, string> {
  return new Map(
    pages.flatMap(({ changes }) =>
      changes.map(({ data }): [string, string] => [data.id, JSON.stringify(data)]),
    ),
  );
}
