import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectError, expectSame, expectStatus } from '../expect.ts';
import { headOf, idsOfPages, readPage, readPages } from '../feed.ts';

const test = testFactory('D4');

const LIMIT_MAX = 1_000;
const LIMIT_DEFAULT = 500;
const CURSOR_CHARACTERS_MAX = 200;

function cursorQuery(context: Context, cursor: string): Record<string, string> {
  return { [context.target.names.cursorParameter]: cursor };
}

export const tests: readonly ConformanceTest[] = [
  test(
    'limit-bounds',
    'limit must be from 1 to 1,000; any other value gets 400 invalid_request',
    async (context) => {
      const app = await context.sharedConnection();
      for (const limit of [1, LIMIT_MAX]) {
        expectStatus(await app.get('/inventory/changes', { limit }), 200);
      }
      for (const limit of [0, -1, LIMIT_MAX + 1, '1.5', 'x', '']) {
        expectError(await app.get('/inventory/changes', { limit }), 400, 'invalid_request');
      }
    },
  ),

  test(
    'limit-holds',
    'every page but the last has exactly limit records, and the last has at most limit',
    async (context) => {
      const app = await context.sharedConnection();
      const all = idsOfPages(await readPages(context, app)).length;
      for (const limit of [1, 2, all - 1]) {
        const page = await readPage(context, app, null, limit);
        expectSame(
          `[records, hasMore] with limit ${limit} of ${all}`,
          [page.changes.length, page.hasMore],
          [limit, true],
        );
      }
      const whole = await readPage(context, app, null, all);
      expectSame(
        `[records, hasMore] with limit ${all} of ${all}`,
        [whole.changes.length, whole.hasMore],
        [all, false],
      );
    },
  ),

  test('limit-default', 'a page has 500 records by default', async (context) => {
    const app = await context.sharedConnection();
    const all = idsOfPages(await readPages(context, app)).length;
    const page = await readPage(context, app, null);
    expectSame('the number of records', page.changes.length, Math.min(all, LIMIT_DEFAULT));
  }),

  test(
    'expired',
    'after a restore from a backup, a cursor gets 410 cursor_expired',
    async (context) => {
      const app = await context.sharedConnection();
      const { nextCursor } = await readPage(context, app, null, 3);
      const head = await headOf(app);
      await context.control.expireCursors();
      for (const cursor of [nextCursor, head]) {
        const response = await app.get('/inventory/changes', cursorQuery(context, cursor));
        expectError(response, 410, 'cursor_expired');
      }
      const after = await readPage(context, app, await headOf(app));
      expectSame('a read from the new head', after.changes, []);
      const fresh = new Set(idsOfPages(await readPages(context, app))).size;
      const { siteIds, locationIds, unitIds } = context.shop.stock;
      const count = siteIds.length + locationIds.length + unitIds.length;
      expectSame('the number of objects from the beginning', fresh, count);
    },
  ),

  test('one-record', 'a full read has one record per object', async (context) => {
    const app = await context.sharedConnection();
    await context.control.changeStock(context.shop.id);
    const ids = idsOfPages(await readPages(context, app, { limit: 20 }));
    expectSame('the number of different ids', new Set(ids).size, ids.length);
  }),

  test('same-order', 'the records have the same order for every page size', async (context) => {
    const app = await context.sharedConnection();
    const whole = idsOfPages(await readPages(context, app));
    expectSame(
      'the ids with a limit of 9',
      idsOfPages(await readPages(context, app, { limit: 9 })),
      whole,
    );
  }),

  test('order', 'the object that changed last comes last', async (context) => {
    const app = await context.sharedConnection();
    const cursor = await headOf(app);
    const unit = await context.control.changeStock(context.shop.id, 'unit');
    const left = await context.control.leaveStock(context.shop.id, 'unit');
    const ids = idsOfPages(await readPages(context, app, { cursor }));
    expectSame('the ids', ids, [unit, left]);
    expectSame(
      'the last id of a full read',
      idsOfPages(await readPages(context, app)).at(-1),
      left,
    );
  }),

  test('location-stamps-site', 'a change of a location also changes its site', async (context) => {
    const app = await context.sharedConnection();
    const cursor = await headOf(app);
    const id = await context.control.changeStock(context.shop.id, 'location');
    const ids = idsOfPages(await readPages(context, app, { cursor }));
    expectSame('the number of records', ids.length, 2);
    expect(ids.includes(id), 'the location', ids);
    expect(
      ids.some((each) => context.shop.stock.siteIds.includes(each)),
      'its site',
      ids,
    );
  }),

  test('bad-cursor', 'a malformed or altered cursor gets 400 invalid_request', async (context) => {
    const app = await context.sharedConnection();
    const cursor = await headOf(app);
    const first = cursor.startsWith('A') ? 'B' : 'A';
    const altered = [
      `${first}${cursor.slice(1)}`,
      `${cursor}A`,
      cursor.slice(0, -1),
      cursor.toUpperCase(),
    ];
    for (const bad of ['', '0', 'x', '%', '竜', 'x'.repeat(500), ...altered]) {
      if (bad === cursor) continue;
      const response = await app.get('/inventory/changes', cursorQuery(context, bad));
      expectError(response, 400, 'invalid_request');
    }
  }),

  test(
    'every-byte',
    'a cursor with one changed character gets 400 invalid_request',
    async (context) => {
      const app = await context.sharedConnection();
      const cursor = await headOf(app);
      for (let index = 0; index < cursor.length; index += 3) {
        const other = cursor[index] === 'x' ? 'y' : 'x';
        const bad = `${cursor.slice(0, index)}${other}${cursor.slice(index + 1)}`;
        const response = await app.get('/inventory/changes', cursorQuery(context, bad));
        expectError(response, 400, 'invalid_request');
      }
    },
  ),

  test('foreign-cursor', 'another shop’s cursor gets 400 invalid_request', async (context) => {
    const app = await context.sharedConnection();
    const cursor = await headOf(await context.sharedConnection({ shop: context.otherShop }));
    const response = await app.get('/inventory/changes', cursorQuery(context, cursor));
    expectError(response, 400, 'invalid_request');
  }),

  test('cursor-form', 'a cursor is base64url of at most 200 characters', async (context) => {
    const app = await context.sharedConnection();
    const pages = await readPages(context, app, { limit: 50 });
    for (const cursor of [await headOf(app), ...pages.map(({ nextCursor }) => nextCursor)]) {
      expect(/^[A-Za-z0-9_-]+$/.test(cursor), 'base64url', cursor);
      expect(cursor.length <= CURSOR_CHARACTERS_MAX, 'at most 200 characters', cursor.length);
    }
  }),

  test(
    'another-app',
    'a cursor belongs to the shop, so another app of the shop may use it',
    async (context) => {
      const cursor = await headOf(await context.sharedConnection());
      const spare = await context.connected({ app: context.secondApp });
      expectSame('the changes', (await readPage(context, spare, cursor)).changes, []);
    },
  ),
];
