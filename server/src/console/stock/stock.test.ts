import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertSays, says } from '../../../test/console-pages.ts';
import { formTo, hasFormTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { seedShop } from '../../../test/service.ts';
import { openSignedIn } from '../../../test/signed-in-browser.ts';
import { openStockConsole, type StockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { readHead } from '../../inventory/feed.ts';
import { findStockUnit, type StockUnitDetails } from '../../inventory/stock-unit.ts';
import { putUnits } from '../../inventory/unit.ts';
import { flashText } from '../flash.ts';
import { formMessages } from '../parts/form/messages.ts';
import { unitStatusMessages } from '../parts/messages/catalog.ts';
import { type ChangeRefusal, refusalText } from './refusal-text.ts';
import { bulkMessages, itemCellMessages, stockListMessages } from './messages/list.ts';
import { unitMessages } from './messages/unit.ts';

describe('the pages of stock', () => {
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

  async function unitOf(id: string): Promise<StockUnitDetails> {
    const unit = await findStockUnit(base.db, desk.seeded.shop.id, id);
    assert.ok(unit);
    return unit;
  }

  async function head(): Promise<number> {
    return (await readHead(base.db, desk.seeded.shop.id)).seq;
  }

  /**
   * Submits the form of the owner's page that posts to `path`. `sent` contains the fields that the
   * pressed button adds.
   */
  async function press(
    page: VisitedPage,
    path: string,
    fields: Readonly<Record<string, string>> = {},
    sent: Readonly<Record<string, string>> = {},
  ): Promise<VisitedPage> {
    return await desk.owner.browser.submit(page, formTo(page, path, sent), fields);
  }

  /**
   * Submits a bulk action for the ticked units of a list, or confirms it on the page that asks for
   * confirmation.
   */
  async function pressBulk(
    page: VisitedPage,
    move: 'reserve' | 'release' | 'write_off' | 'move',
    fields: Readonly<Record<string, string>> = {},
  ): Promise<VisitedPage> {
    return await press(page, '/stock/bulk', fields, { do: move });
  }

  async function setStatus(page: VisitedPage, to: string): Promise<VisitedPage> {
    return await press(page, '/status', {}, { to });
  }

  it('units are listed newest first, and found by certificate number, serial number, id and name', async () => {
    const certified = await desk.makeUnit({ certNumber: 'PSA-9-1', serialNumber: '025/100' });
    const other = await desk.makeUnit({ item: { kind: 'card', cardId: desk.otherCardId } });
    const all = await desk.owner.visit('/stock');
    assert.equal(all.status, 200);
    assert.ok(all.text.indexOf(other) < all.text.indexOf(certified));
    assert.match(all.text, /Alba &lt;i&gt;/);
    assert.doesNotMatch(all.text, /Alba <i>/);
    for (const sought of ['PSA-9-1', '025/100', certified, certified.toUpperCase()]) {
      const found = await desk.owner.visit(`/stock?q=${encodeURIComponent(sought)}`);
      assert.ok(found.url.endsWith(`/stock/${certified}`), found.url);
    }
    const named = await desk.owner.visit(`/stock?q=${encodeURIComponent('月の番人')}`);
    assert.ok(named.text.includes(other) && !named.text.includes(certified));
    const none = await desk.owner.visit('/stock?q=zzzzzz');
    assertSays(none, stockListMessages.en.nothingTitle);
    const long = await desk.owner.visit(`/stock?q=${'a'.repeat(151)}`);
    assertSays(long, stockListMessages.en.found.too_long);
    assert.equal(says(long, stockListMessages.en.nothingTitle), false);
    const { cert, serial } = itemCellMessages.en;
    assertSays(
      await desk.owner.visit('/stock?q=PSA-9-1&live=1'),
      `${cert('PSA-9-1')} · ${serial('025/100')}`,
    );
  });

  it('units are filtered by status, site, location and grade, and counted by status', async () => {
    const sold = await desk.makeUnit({ status: 'sold' });
    const page = await desk.owner.visit('/stock?status=sold');
    assert.ok(page.text.includes(`/stock/${sold}"`));
    const [, chosen] =
      /aria-current="true"([^>]*>[^<]*<span class="number">1<\/span>)/.exec(page.text) ?? [];
    assert.ok(chosen?.includes(unitStatusMessages.en.sold), page.text);
    const here = `/stock?location=${desk.locationId}&site=${desk.siteId}`;
    assert.ok((await desk.owner.visit(`${here}&status=all`)).text.includes(sold));
    assert.ok(!(await desk.owner.visit(here)).text.includes(sold));
    const elsewhere = await desk.owner.visit(`/stock?site=${newId()}`);
    assert.ok(!elsewhere.text.includes(sold));
    const graded = await desk.owner.visit(`/stock?grade=${newId()}`);
    assert.ok(!graded.text.includes(sold));
    const odd = await desk.owner.visit('/stock?status=odd&site=x&before=y');
    assert.equal(odd.status, 200);
  });

  it('a page shows a unit with its history and feed position, and its cost only with inventory.cost', async () => {
    const id = await desk.makeUnit();
    const page = await desk.owner.visit(`/stock/${id}`);
    assert.match(page.text, /本店 › A-1 棚/);
    assert.match(page.text, /¥1,200|¥1,200|1,200/);
    assert.match(page.text, /777,123/);
    // Without `capture`, a phone offers its gallery as well as its camera.
    assert.match(page.text, /type="file"/);
    assert.doesNotMatch(page.text, /capture=/);
    assert.ok(page.text.indexOf('id="facts"') < page.text.indexOf('id="status"'));
    assert.ok(page.text.indexOf('id="status"') < page.text.indexOf('id="photos"'));
    const sold = await setStatus(page, 'sold');
    assert.equal(sold.status, 200);
    assertSays(sold, flashText('unit_sold', 'en'));
    const { history, status } = await unitOf(id);
    assert.equal(status, 'sold');
    assert.deepEqual(history[0]?.by.name, desk.seeded.member.account.name);
    assert.ok(sold.text.includes(desk.seeded.member.account.name));
    assertSays(sold, unitMessages.en.head);
    const clerk = await desk.member(['inventory.read', 'inventory.write']);
    for (const path of ['/stock', `/stock/${id}`, `/stock/${id}/edit`, '/stock/receive']) {
      const { status: code, text } = await clerk.visit(path);
      assert.equal(code, 200, path);
      assert.doesNotMatch(text, /777,?123|name="cost"/, path);
      assert.ok(!text.includes(unitMessages.en.head), 'only members who manage apps see positions');
    }
    const japanese = await desk.member(['inventory.read'], 'ja');
    assertSays(await japanese.visit(`/stock/${id}`), unitStatusMessages.ja.sold);
  });

  it('a page offers the allowed status changes, asks before a final change, and rejects an outdated change', async () => {
    const id = await desk.makeUnit();
    const before = await desk.owner.visit(`/stock/${id}`);
    for (const to of ['reserved', 'sold', 'grading', 'in_transit']) {
      assert.ok(hasFormTo(before, '/status', { to }), to);
    }
    for (const to of ['voided', 'written_off']) {
      assert.ok(!hasFormTo(before, '/status', { to }), `${to} is a link to a page that asks`);
      assert.ok(before.text.includes(`/stock/${id}/confirm?to=${to}"`), to);
    }
    const lost = await desk.owner.visit(`/stock/${id}/confirm?to=written_off`);
    assertSays(lost, unitMessages.en.asks.written_off);
    assertSays(lost, unitMessages.en.confirmUndoable);
    assert.equal(says(lost, unitMessages.en.confirmFinal), false);
    const reserved = await setStatus(before, 'reserved');
    assert.equal((await unitOf(id)).status, 'reserved');
    assert.ok(hasFormTo(reserved, '/status', { to: 'in_stock' }));
    assert.ok(!reserved.text.includes('confirm?to=written_off'));
    const seq = await head();
    const overtaken = await setStatus(lost, 'written_off');
    assert.equal(overtaken.status, 422);
    const isReserved = { kind: 'changed_meanwhile', row: { status: 'reserved' } } as const;
    assertSays(overtaken, refusalText(isReserved as ChangeRefusal, 'en'));
    assert.equal(await head(), seq);
    assert.equal((await desk.owner.visit(`/stock/${id}/confirm?to=sold`)).status, 404);
    const asked = await desk.owner.visit(`/stock/${id}/confirm?to=voided`);
    assertSays(asked, unitMessages.en.confirmFinal);
    assert.equal((await unitOf(id)).status, 'reserved');
    const voided = await setStatus(asked, 'voided');
    assert.equal((await unitOf(id)).status, 'voided');
    assertSays(voided, unitMessages.en.final);
  });

  it('a unit can be moved between places, and unknown places are rejected', async () => {
    const id = await desk.makeUnit();
    const page = await desk.owner.visit(`/stock/${id}`);
    await press(page, '/move', { place: desk.siteId });
    assert.equal((await unitOf(id)).location, null);
    const seq = await head();
    const refused = await press(page, '/move', { place: newId() });
    assert.equal(refused.status, 422);
    assert.equal((await press(page, '/move', { place: 'x' })).status, 404);
    assert.equal(await head(), seq);
  });

  it('price, cost, numbers and dates can be edited, and the typed values are kept after an error', async () => {
    const id = await desk.makeUnit();
    const form = await desk.owner.visit(`/stock/${id}/edit`);
    const bad = await press(form, '/edit', { price: '12.5', acquiredAt: '2026-02-30T10:00' });
    assert.equal(bad.status, 422);
    assertSays(bad, formMessages.en.fineAmount(0, 'JPY'));
    assert.match(bad.text, /value="12.5"/);
    assertSays(bad, formMessages.en.noInstant);
    assert.match(bad.text, /href="#field-price"/);
    const long = await press(form, '/edit', { certNumber: 'x'.repeat(65) });
    assert.equal(long.status, 422);
    assert.equal((await unitOf(id)).priceMinor, 1_200);
    const fields = {
      price: '¥1,500',
      cost: '',
      acquiredAt: '2026-11-20T09:30',
      certNumber: ' C1 ',
    };
    await press(form, '/edit', { ...fields, ownership: 'consigned' });
    const unit = await unitOf(id);
    assert.deepEqual(
      [unit.priceMinor, unit.costMinor, unit.certNumber, unit.ownership],
      [1_500, null, 'C1', 'consigned'],
    );
    assert.equal(unit.acquiredAt?.toISOString(), '2026-11-20T00:30:00.000Z');
  });

  it('a stale form shows both values, and keeps concurrent changes and a hidden cost', async () => {
    const id = await desk.makeUnit();
    const form = await desk.owner.visit(`/stock/${id}/edit`);
    const { shop } = desk.seeded;
    const change = { id, priceMinor: 2_000 };
    await base.db.transaction(async (tx) => await putUnits(tx, shop, [change], new Date()));
    const stale = await press(form, '/edit', { price: '1800' });
    assert.equal(stale.status, 409);
    assertSays(stale, formMessages.en.now(unitMessages.en.price, '2000', '1200'));
    assert.match(stale.text, /value="1800"/);
    assert.equal((await unitOf(id)).priceMinor, 2_000);
    await press(stale, '/edit');
    assert.equal((await unitOf(id)).priceMinor, 1_800);
    // An edit writes only the fields that the member changed, so a concurrent change of another
    // field is kept.
    const aside = await desk.owner.visit(`/stock/${id}/edit`);
    const numbered = { id, certNumber: 'PSA-7' };
    await base.db.transaction(async (tx) => await putUnits(tx, shop, [numbered], new Date()));
    const kept = await press(aside, '/edit', { price: '1900' });
    assertSays(kept, flashText('saved', 'en'));
    const merged = await unitOf(id);
    assert.deepEqual([merged.priceMinor, merged.certNumber], [1_900, 'PSA-7']);
    const clerk = await desk.member(['inventory.read', 'inventory.write']);
    const his = await clerk.visit(`/stock/${id}/edit`);
    const forged = { price: '1700', cost: '5' };
    await clerk.browser.submit(his, formTo(his, '/edit'), forged);
    const { priceMinor, costMinor } = await unitOf(id);
    assert.deepEqual([priceMinor, costMinor], [1_700, 777_123]);
  });

  it('several units are changed at once, and those that cannot be changed are reported', async () => {
    const [first, second, sold] = [
      await desk.makeUnit(),
      await desk.makeUnit({ certNumber: 'BULK-2' }),
      await desk.makeUnit({ status: 'sold' }),
    ];
    const page = await desk.owner.visit('/stock');
    const ticked = (...ids: readonly string[]): Record<string, string> =>
      Object.fromEntries(ids.map((id) => [`unit.${id}`, 'on']));
    const nothing = await pressBulk(page, 'reserve');
    assert.equal(nothing.status, 422);
    const reserved = await pressBulk(page, 'reserve', ticked(first, second));
    assertSays(reserved, flashText('units_reserved.2.0', 'en'));
    assert.equal((await unitOf(second)).status, 'reserved');
    const mixed = await pressBulk(page, 'release', ticked(first, sold, newId()));
    assert.equal(mixed.status, 200);
    assertSays(mixed, bulkMessages.en.refused(2));
    const isSold = { kind: 'changed_meanwhile', row: { status: 'sold' } } as const;
    assertSays(mixed, refusalText(isSold as ChangeRefusal, 'en'));
    assertSays(mixed, refusalText({ kind: 'not_found' }, 'en'));
    assert.deepEqual(
      [(await unitOf(first)).status, (await unitOf(sold)).status],
      ['in_stock', 'sold'],
    );
    const moved = await pressBulk(page, 'move', { ...ticked(first, second), place: desk.siteId });
    assertSays(moved, flashText('units_moved.2.0', 'en'));
    const again = await pressBulk(page, 'move', { ...ticked(first, second), place: desk.siteId });
    assertSays(again, flashText('units_moved.0.2', 'en'));
    assert.equal((await unitOf(second)).location, null);
    const list = '/stock?status=in_stock';
    const narrowed = await desk.owner.visit(list);
    const back = await pressBulk(narrowed, 'reserve', ticked(first));
    assert.ok(back.url.endsWith(list), back.url);
    const away = await pressBulk(narrowed, 'reserve', {
      ...ticked(first),
      list: 'https://evil.example/?q=a',
    });
    assert.ok(away.url.endsWith('/stock?q=a'), away.url);
    const nowhere = await pressBulk(page, 'move', { ...ticked(first), place: newId() });
    assert.equal(nowhere.status, 422);
    assert.match(nowhere.text, new RegExp(`name="unit.${first}"\\s+checked`));
    assert.doesNotMatch(nowhere.text, new RegExp(`name="unit.${second}"\\s+checked`));
    const [, fault] = /href="#field-place"[^>]*>([^<]*)</.exec(nowhere.text) ?? [];
    assert.equal(fault, bulkMessages.en.noPlace);
    assert.match(nowhere.text, /id="field-place"[^>]*aria-invalid="true"/);
  });

  it('several units are written off only after confirmation', async () => {
    const ids = [await desk.makeUnit(), await desk.makeUnit()];
    const ticked = Object.fromEntries(ids.map((id) => [`unit.${id}`, 'on']));
    const list = await desk.owner.visit('/stock?status=in_stock');
    const seq = await head();
    const asked = await pressBulk(list, 'write_off', ticked);
    assert.equal(asked.status, 200);
    assertSays(asked, bulkMessages.en.asks(2));
    assert.equal(await head(), seq);
    const done = await pressBulk(asked, 'write_off');
    assertSays(done, flashText('units_written_off.2.0', 'en'));
    assert.ok(done.url.endsWith('/stock?status=in_stock'), done.url);
    for (const id of ids) assert.equal((await unitOf(id)).status, 'written_off');
  });

  it('the pages of stock answer 403 without the permission, and 404 in another shop', async () => {
    const id = await desk.makeUnit();
    const reader = await desk.member(['inventory.read']);
    const seen = await reader.visit(`/stock/${id}`);
    assert.equal(seen.status, 200);
    assert.ok(!hasFormTo(seen, '/status', { to: 'sold' }) && !hasFormTo(seen, '/move'));
    assert.equal((await reader.visit(`/stock/${id}/edit`)).status, 403);
    assert.equal((await reader.visit('/stock/receive')).status, 403);
    const none = await desk.member(['purchases.read']);
    assert.equal((await none.visit('/stock')).status, 403);
    assert.equal((await desk.owner.visit(`/stock/${newId()}`)).status, 404);
    assert.equal((await desk.owner.visit('/stock/x')).status, 404);
    const other = await seedShop(base);
    const stranger = await openSignedIn(desk.service, base.db, other.member.account.id);
    const url = `${desk.service.publicUrl}/console/shops`;
    for (const slug of [desk.seeded.shop.slug, other.shop.slug]) {
      const page = await stranger.visit(`${url}/${slug}/stock/${id}`);
      assert.equal(page.status, 404, slug);
    }
    const empty = await stranger.visit(`${url}/${other.shop.slug}/stock`);
    assertSays(empty, stockListMessages.en.emptyTitle);
    const before = await unitOf(id);
    const form = formTo(await desk.owner.visit(`/stock/${id}`), '/status', { to: 'sold' });
    const token = { ...form.fields, form_token: 'forged' };
    const url2 = await desk.owner.visit(`/stock/${id}`);
    const forged = await desk.owner.browser.submit(url2, { ...form, fields: token });
    assert.ok(forged.status >= 400);
    assert.equal((await unitOf(id)).seq, before.seq);
  });
});
