import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seedStock, STOCK_MADE_AT } from '../../test/stock.ts';
import { useTestDatabase } from '../../test/shared.ts';
import { newId } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { readHead } from './feed.ts';
import {
  type LocationChange,
  LOCATIONS_OF_SHOP_MAX,
  LOCATIONS_OF_SITE_MAX,
  putLocation,
  type PutLocationResult,
} from './location.ts';
import { putSite, type PutSiteResult, readSitesText, type Site, SITES_MAX } from './site.ts';
import { putUnits } from './unit.ts';

const LATER = new Date(STOCK_MADE_AT.getTime() + 60_000);

const SITE = {
  code: 'x',
  name: 'x',
  kind: 'store' as const,
  countryCode: 'JP',
  timezone: 'Asia/Tokyo',
};

export const fillTestSite = statement(
  'fill_test_site',
  `insert into location (shop_id, location_id, site_id, code, name, kind, is_active, created_at,
    updated_at, doc, seq)
  select $1, gen_random_uuid(), $2, 'x', 'x', 'shelf', true, $4, $4, '{}', 1
  from generate_series(1, $3::int)`,
);

export const fillTestShop = statement(
  'fill_test_shop',
  `insert into site (shop_id, site_id, code, name, kind, country_code, timezone, is_active,
    created_at, updated_at, doc, seq)
  select $1, gen_random_uuid(), 'x', 'x', 'store', 'JP', 'Asia/Tokyo', true, $3, $3, '{}', 1
  from generate_series(1, $2::int)`,
);

async function place(
  db: Database,
  shopId: string,
  id: string,
  change: LocationChange,
): Promise<PutLocationResult> {
  return await db.transaction(async (tx) => await putLocation(tx, shopId, id, change, LATER));
}

async function sitesOf(db: Database, shopId: string): Promise<Site[]> {
  return JSON.parse(await readSitesText(db, shopId));
}

describe('sites and locations (2.4)', () => {
  const base = useTestDatabase();

  it('sites and locations have exactly the members of the specification, and inactive ones are included (4.5)', async () => {
    const stock = await seedStock(base.db);
    await base.db.transaction(
      async (tx) => await putSite(tx, stock.shop.id, stock.siteId, { isActive: false }, LATER),
    );
    const [site] = await sitesOf(base.db, stock.shop.id);
    assert.deepEqual(site, {
      id: stock.siteId,
      code: 'main',
      name: '本店',
      kind: 'store',
      countryCode: 'JP',
      timezone: 'Asia/Tokyo',
      isActive: false,
      createdAt: STOCK_MADE_AT.toISOString(),
      updatedAt: LATER.toISOString(),
      locations: [
        {
          id: stock.locationId,
          siteId: stock.siteId,
          code: 'A-1',
          name: '棚A-1',
          kind: 'shelf',
          isActive: true,
          createdAt: STOCK_MADE_AT.toISOString(),
          updatedAt: STOCK_MADE_AT.toISOString(),
        },
      ],
    });
  });

  it('a new site or location with missing members is refused with their names, and nothing is written', async () => {
    const stock = await seedStock(base.db);
    const before = await readHead(base.db, stock.shop.id);
    const site = await base.db.transaction(
      async (tx) => await putSite(tx, stock.shop.id, newId(), { name: 'x' }, LATER),
    );
    const missing = ['code', 'kind', 'countryCode', 'timezone'];
    assert.deepEqual(site, { kind: 'incomplete', missing });
    const location = await place(base.db, stock.shop.id, newId(), { name: 'x' });
    assert.deepEqual(location, { kind: 'incomplete', missing: ['siteId', 'code', 'kind'] });
    assert.deepEqual(await readHead(base.db, stock.shop.id), before);
  });

  it('an identical write assigns no new position', async () => {
    const stock = await seedStock(base.db);
    const before = await readHead(base.db, stock.shop.id);
    const same = await place(base.db, stock.shop.id, stock.locationId, { name: '棚A-1' });
    assert.equal(same.kind, 'unchanged');
    const site = await base.db.transaction(
      async (tx) => await putSite(tx, stock.shop.id, stock.siteId, { code: 'main' }, LATER),
    );
    assert.equal(site.kind, 'unchanged');
    assert.deepEqual(await readHead(base.db, stock.shop.id), before);
  });

  it("another shop's site is refused", async () => {
    const stock = await seedStock(base.db);
    const other = await seedStock(base.db);
    const shelf = { siteId: other.siteId, code: 'x', name: 'x', kind: 'shelf' as const };
    const result = await place(base.db, stock.shop.id, newId(), shelf);
    assert.equal(result.kind, 'unknown_reference');
  });

  it('an empty location can move to another site, which updates both sites; a location with units cannot move', async () => {
    const stock = await seedStock(base.db);
    const second = newId();
    const shop = { code: 'sub', name: '二号店', kind: 'store' as const, countryCode: 'JP' };
    await base.db.transaction(
      async (tx) =>
        await putSite(tx, stock.shop.id, second, { ...shop, timezone: 'Asia/Tokyo' }, LATER),
    );
    const before = await readHead(base.db, stock.shop.id);
    const moved = await place(base.db, stock.shop.id, stock.locationId, { siteId: second });
    assert.equal(moved.kind, 'updated');
    const sites = await sitesOf(base.db, stock.shop.id);
    assert.deepEqual(
      sites.map((site) => site.locations.length),
      [0, 1],
    );
    assert.equal((await readHead(base.db, stock.shop.id)).seq, before.seq + 3);
    const item = { kind: 'product' as const, productId: stock.productId };
    const unit = { id: newId(), siteId: second, locationId: stock.locationId, item };
    await base.db.transaction(async (tx) => await putUnits(tx, stock.shop, [unit], LATER));
    const back = await place(base.db, stock.shop.id, stock.locationId, { siteId: stock.siteId });
    assert.equal(back.kind, 'conflict');
  });

  it('a site has at most 2,000 locations; creating another one or moving one there is a conflict', async () => {
    const stock = await seedStock(base.db);
    const { id: shopId } = stock.shop;
    await base.db.query(fillTestSite, [shopId, stock.siteId, LOCATIONS_OF_SITE_MAX - 2, LATER]);
    const shelf = { siteId: stock.siteId, code: 'x', name: 'x', kind: 'shelf' as const };
    const both = await Promise.all([
      place(base.db, shopId, newId(), shelf),
      place(base.db, shopId, newId(), shelf),
    ]);
    const detail = 'siteId: a site can have at most 2000 locations';
    assert.deepEqual(both.map((result) => result.kind).toSorted(), ['conflict', 'created']);
    assert.deepEqual(both.find((result) => result.kind === 'conflict')?.detail, detail);
    const changed = await place(base.db, shopId, stock.locationId, { name: 'still' });
    assert.equal(changed.kind, 'updated');
    const [second, moving] = [newId(), newId()];
    const other = { ...SITE, code: 'sub' };
    await base.db.transaction(async (tx) => await putSite(tx, shopId, second, other, LATER));
    assert.equal(
      (await place(base.db, shopId, moving, { ...shelf, siteId: second })).kind,
      'created',
    );
    const head = await readHead(base.db, shopId);
    const moved = await place(base.db, shopId, moving, { siteId: stock.siteId });
    assert.deepEqual(moved, { kind: 'conflict', detail });
    assert.deepEqual(await readHead(base.db, shopId), head);
  });

  it('a shop has at most 20,000 locations; creating another one is a conflict', async () => {
    const stock = await seedStock(base.db);
    const { id: shopId } = stock.shop;
    const shelf = { siteId: stock.siteId, code: 'x', name: 'x', kind: 'shelf' as const };
    const second = newId();
    await base.db.transaction(async (tx) => await putSite(tx, shopId, second, SITE, LATER));
    await base.db.query(fillTestSite, [shopId, second, LOCATIONS_OF_SHOP_MAX - 2, LATER]);
    assert.equal((await place(base.db, shopId, newId(), shelf)).kind, 'created');
    assert.deepEqual(await place(base.db, shopId, newId(), shelf), {
      kind: 'conflict',
      detail: 'a shop can have at most 20000 locations',
    });
  });

  it('a shop has at most 1,000 sites, even if two are created at the same time', async () => {
    const stock = await seedStock(base.db);
    const { id: shopId } = stock.shop;
    await base.db.query(fillTestShop, [shopId, SITES_MAX - 2, LATER]);
    const put = async (id: string): Promise<PutSiteResult> =>
      await base.db.transaction(async (tx) => await putSite(tx, shopId, id, SITE, LATER));
    const both = await Promise.all([put(newId()), put(newId())]);
    assert.deepEqual(both.map((result) => result.kind).toSorted(), ['conflict', 'created']);
    const head = await readHead(base.db, shopId);
    assert.deepEqual(await put(newId()), {
      kind: 'conflict',
      detail: 'a shop can have at most 1000 sites',
    });
    assert.deepEqual(await readHead(base.db, shopId), head);
    assert.equal((await put(stock.siteId)).kind, 'updated');
  });

  it('every location that 8 writers create at the same time is shown', async () => {
    const stock = await seedStock(base.db);
    const ids = Array.from({ length: 8 }, newId);
    const shelf = { siteId: stock.siteId, name: 'x', kind: 'shelf' as const };
    await Promise.all(
      ids.map(async (id, index) =>
        place(base.db, stock.shop.id, id, { ...shelf, code: `B-${index}` }),
      ),
    );
    const [site] = await sitesOf(base.db, stock.shop.id);
    assert.deepEqual(
      site?.locations.map((location) => location.id).toSorted(),
      [stock.locationId, ...ids].toSorted(),
    );
  });
});
