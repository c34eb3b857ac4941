import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { formTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { seedShop } from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openStockConsole, type StockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { readHead } from '../../inventory/feed.ts';
import { putLocation } from '../../inventory/location.ts';
import { listLocationsOfSite } from '../../inventory/location-row.ts';
import { putSite } from '../../inventory/site.ts';
import { findShownSite, listShownSites } from '../../inventory/site-list.ts';
import { assertSays } from '../../../test/console-pages.ts';
import { flashText } from '../flash.ts';
import { formMessages } from '../parts/form/messages.ts';
import { placeMessages } from './messages.ts';

const SITE = {
  name: '<b>Kanda',
  code: 'K',
  kind: 'event',
  countryCode: 'JP',
  timezone: 'Asia/Tokyo',
};

describe('the pages of sites and locations', () => {
  let base: TestDatabase;
  let desk: StockConsole;
  before(async () => {
    base = await openTestDatabase();
    desk = await openStockConsole(base);
  });
  after(async () => {
    await desk[Symbol.asyncDispose]();
    await base.close();
  });

  async function save(
    page: VisitedPage,
    fields: Readonly<Record<string, string>>,
  ): Promise<VisitedPage> {
    return await desk.owner.browser.submit(page, formTo(page, new URL(page.url).pathname), fields);
  }

  async function head(): Promise<number> {
    return (await readHead(base.db, desk.seeded.shop.id)).seq;
  }

  it('sites and locations are listed with the number of units in each', async () => {
    await desk.makeUnit();
    await desk.makeUnit({ locationId: null });
    await desk.makeUnit({ status: 'sold' });
    const list = await desk.owner.visit('/places');
    const cell = (label: string, count: number): string => `data-label="${label}">${count}<`;
    assert.ok(list.text.includes(cell(placeMessages.en.inStock, 2)));
    assert.ok(list.text.includes(cell(placeMessages.en.allUnits, 3)));
    const site = await desk.owner.visit(`/places/${desk.siteId}`);
    assert.ok(site.text.includes(cell(placeMessages.en.inStock, 1)));
    assert.match(site.text, /A-1/);
    const japanese = await desk.member(['inventory.read'], 'ja');
    const seen = await japanese.visit(`/places/${desk.siteId}`);
    assertSays(seen, placeMessages.ja.locations);
    assert.ok(!seen.text.includes(`/places/${desk.siteId}/edit`));
  });

  it('a site and a location can be added, and nothing is written while a field has an error', async () => {
    const page = await desk.owner.visit('/places/new');
    assert.match(page.text, /<option value="Asia\/Tokyo">/);
    const seq = await head();
    for (const [wrong, sentence] of [
      [{ code: '' }, placeMessages.en.noCode],
      [{ code: 'x'.repeat(65) }, placeMessages.en.noCode],
      [{ code: 'A\u200b' }, placeMessages.en.noCode],
      [{ name: 'x'.repeat(201) }, placeMessages.en.badName],
      [{ name: 'Kanda\u202e' }, placeMessages.en.badName],
      [{ countryCode: 'XX' }, placeMessages.en.noCountry],
      [{ timezone: 'Mars/Base' }, placeMessages.en.noTimezone],
      [{ kind: 'moon' }, placeMessages.en.noKind],
    ] as const) {
      const refused = await save(page, { ...SITE, ...wrong });
      assert.equal(refused.status, 422, JSON.stringify(wrong));
      assertSays(refused, sentence);
    }
    assert.equal(await head(), seq);
    const added = await save(page, { ...SITE, countryCode: 'jp' });
    assertSays(added, flashText('site_added', 'en'));
    assert.match(added.text, /&lt;b&gt;Kanda/);
    assert.doesNotMatch(added.text, /<b>Kanda/);
    const sites = await listShownSites(base.db, desk.seeded.shop.id);
    const made = sites.find(({ code }) => code === 'K');
    assert.deepEqual([made?.countryCode, made?.isActive], ['JP', true]);
    const form = await desk.owner.visit(`/places/${made?.id}/locations/new`);
    const shelf = await save(form, { name: 'Shelf', code: 'S', kind: 'safe' });
    assertSays(shelf, flashText('location_added', 'en'));
    const locations = await listLocationsOfSite(base.db, desk.seeded.shop.id, made?.id ?? '');
    assert.deepEqual(
      locations.map(({ code, kind }) => [code, kind]),
      [['S', 'safe']],
    );
  });

  it('a site or location can be changed and deactivated, and no concurrent change is lost', async () => {
    const { shop } = desk.seeded;
    const form = await desk.owner.visit(`/places/${desk.siteId}/edit`);
    const later = new Date(Date.now() + 1_000);
    const renamed = { name: '駅前店' };
    await base.db.transaction(async (tx) => putSite(tx, shop.id, desk.siteId, renamed, later));
    const seq = await head();
    const stale = await save(form, { name: 'Mine' });
    assert.equal(stale.status, 409);
    assertSays(stale, formMessages.en.now(placeMessages.en.name, '駅前店', '本店'));
    assert.match(stale.text, /value="Mine"/);
    assert.equal(await head(), seq);
    await save(stale, {});
    assert.equal((await findShownSite(base.db, shop.id, desk.siteId))?.name, 'Mine');
    const path = `/places/${desk.siteId}/locations/${desk.locationId}`;
    const place = await desk.owner.visit(path);
    const moved = { name: '棚B' };
    await base.db.transaction(async (tx) =>
      putLocation(tx, shop.id, desk.locationId, moved, new Date(Date.now() + 2_000)),
    );
    const overtaken = await save(place, { name: '棚C', code: 'B-2' });
    assert.equal(overtaken.status, 409);
    assertSays(overtaken, formMessages.en.now(placeMessages.en.name, '棚B', '棚'));
    // An edit that leaves the name unchanged is not a conflict, and changes only the code.
    assertSays(await save(place, { code: 'B-2' }), flashText('saved', 'en'));
    const [shelf] = await listLocationsOfSite(base.db, shop.id, desk.siteId);
    assert.deepEqual([shelf?.code, shelf?.name], ['B-2', '棚B']);
    const fresh = await desk.owner.visit(path);
    const { action, fields } = formTo(fresh, path);
    const { isActive, ...left } = fields;
    assert.equal(isActive, 'on');
    const saved = await desk.owner.browser.submit(fresh, { action, fields: left });
    assertSays(saved, flashText('saved', 'en'));
    const receive = await desk.owner.visit('/stock/receive');
    assert.ok(
      !receive.text.includes(desk.locationId),
      'a location that is not in use is not offered',
    );
  });

  it('the pages of sites and locations answer 403 without the permission, and 404 in another shop', async () => {
    const reader = await desk.member(['inventory.read']);
    assert.equal((await reader.visit('/places')).status, 200);
    assert.equal((await reader.visit('/places/new')).status, 403);
    assert.equal((await reader.visit(`/places/${desk.siteId}/edit`)).status, 403);
    const none = await desk.member(['purchases.read']);
    assert.equal((await none.visit('/places')).status, 403);
    const other = await seedShop(base);
    const stranger = await openSignedIn(desk.service, base.db, other.member.account.id);
    const url = `${desk.service.publicUrl}/console/shops/${other.shop.slug}/places`;
    for (const path of ['', '/edit', '/locations/new', `/locations/${desk.locationId}`]) {
      const page = await stranger.visit(`${url}/${desk.siteId}${path}`);
      assert.equal(page.status, 404, path);
      assert.equal((await stranger.visit(`${url}/${newId()}${path}`)).status, 404, path);
    }
    assert.equal((await stranger.visit(`${url}/x`)).status, 404);
    assertSays(await stranger.visit(url), placeMessages.en.emptyTitle);
  });
});
