import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectSame, NotRun } from '../expect.ts';
import { siteList } from '../resources.ts';

const test = testFactory('4.5');

export const tests: readonly ConformanceTest[] = [
  test('all', 'all the shop’s sites and storage locations are returned', async (context) => {
    for (const shop of context.target.shops) {
      const app = await context.sharedConnection({ shop });
      const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
      expectSame('the sites', sites.map(({ id }) => id).toSorted(), shop.stock.siteIds.toSorted());
      const locations = sites.flatMap((site) => site.locations.map(({ id }) => id));
      expectSame('the locations', locations.toSorted(), shop.stock.locationIds.toSorted());
    }
  }),

  test(
    'inactive',
    'inactive sites and locations are included, with isActive false',
    async (context) => {
      const { inactiveSiteId, inactiveLocationId } = context.shop.stock;
      if (inactiveSiteId === null || inactiveLocationId === null) {
        throw new NotRun('the target has no inactive site or location');
      }
      const app = await context.sharedConnection();
      const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
      const site = sites.find(({ id }) => id === inactiveSiteId);
      expectSame('isActive of the inactive site', site?.isActive, false);
      const locations = sites.flatMap((each) => each.locations);
      const location = locations.find(({ id }) => id === inactiveLocationId);
      expectSame('isActive of the inactive location', location?.isActive, false);
    },
  ),

  test('active', 'an active site has isActive true', async (context) => {
    const app = await context.sharedConnection();
    const { sites } = expectBody(await app.get('/inventory/sites'), 200, siteList);
    expect(
      sites.some(({ isActive }) => isActive),
      'a site with isActive true',
      sites.length,
    );
  }),
];
