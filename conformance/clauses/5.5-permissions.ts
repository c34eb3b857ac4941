import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectError, expectSame, expectStatus } from '../expect.ts';
import { idsOfPages, readPages } from '../feed.ts';
import { boostList, siteList } from '../resources.ts';

const test = testFactory('5.5');

async function expectNothingOf(context: Context, ids: readonly string[]): Promise<void> {
  const seen = ids.filter((id) => otherIds(context).has(id));
  expectSame('the ids of the other shop', seen, []);
}

function otherIds({ otherShop }: Context): ReadonlySet<string> {
  const { stock, boosts } = otherShop;
  return new Set([
    ...stock.siteIds,
    ...stock.locationIds,
    ...stock.unitIds,
    ...boosts.openAndFilled,
  ]);
}

export const tests: readonly ConformanceTest[] = [
  test('feed-confined', 'the feed contains no object of another shop', async (context) => {
    await expectNothingOf(
      context,
      idsOfPages(await readPages(context, await context.sharedConnection())),
    );
  }),

  test('sites-confined', 'the list of sites contains no site of another shop', async (context) => {
    const app = await context.sharedConnection();
    const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
    await expectNothingOf(
      context,
      sites.flatMap(({ id, locations }) => [id, ...locations.map((each) => each.id)]),
    );
  }),

  test(
    'boosts-confined',
    'the list of boosts contains no boost of another shop',
    async (context) => {
      const app = await context.sharedConnection();
      const { boosts } = expectBody(
        await app.get('/purchase-boosts', { include: 'filled' }),
        200,
        boostList,
      );
      await expectNothingOf(
        context,
        boosts.map(({ id }) => id),
      );
    },
  ),

  test(
    'photos-confined',
    'a photo of another shop’s unit gets the same response as a missing photo',
    async (context) => {
      const { photo, unitIds } = context.otherShop.stock;
      const id = photo?.unitId ?? unitIds[0] ?? '';
      const side = photo?.sides[0] ?? 'front';
      const app = await context.sharedConnection();
      const foreign = await app.get(`/inventory/items/${id}/photos/${side}`);
      const unknown = await app.get(
        `/inventory/items/00000000-0000-4000-8000-000000000000/photos/${side}`,
      );
      expect(foreign.status >= 400, 'an error status', foreign.status);
      expectSame(
        'the response for another shop’s unit',
        [foreign.status, foreign.text],
        [unknown.status, unknown.text],
      );
      if (photo !== null) {
        const own = await context.sharedConnection({ shop: context.otherShop });
        expectStatus(await own.get(`/inventory/items/${id}/photos/${side}`), 200);
      }
    },
  ),

  test(
    'changes-elsewhere',
    'a change in another shop does not appear in this shop’s feed',
    async (context) => {
      const app = await context.sharedConnection();
      const before = await readPages(context, app);
      const cursor = before.at(-1)?.nextCursor ?? null;
      await context.control.changeStock(context.otherShop.id);
      expectSame('the changes', idsOfPages(await readPages(context, app, { cursor })), []);
    },
  ),

  test(
    'purchases-read',
    'the boost list requires purchases.read of the approving member',
    async (context) => {
      const app = await context.connected({ app: context.spareApp, member: context.clerk });
      expectError(await app.get('/purchase-boosts'), 403, 'forbidden');
      // The member's other calls work, because only this list needs the permission.
      expectStatus(await app.get('/inventory/sites'), 200);
      const owner = await context.connected({ app: context.spareApp });
      expectStatus(await owner.get('/purchase-boosts'), 200);
    },
  ),
];
