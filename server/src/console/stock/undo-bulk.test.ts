import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertSays } from '../../../test/console-pages.ts';
import { formTo, hasFormTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { openStockConsole, type StockConsole } from '../../../test/stock-console.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { findStockUnit, type StockUnitDetails } from '../../inventory/stock-unit.ts';
import { flashText } from '../flash.ts';
import { bulkMessages } from './messages/list.ts';
import { readBulkChange, renderUndoCookies } from './undo-bulk.ts';

describe('a bulk action on stock', () => {
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

  /** Submits the form to `path`. `sent` contains the fields that the pressed button adds. */
  async function press(
    page: VisitedPage,
    path: string,
    fields: Readonly<Record<string, string>> = {},
    sent: Readonly<Record<string, string>> = {},
  ): Promise<VisitedPage> {
    return await desk.owner.browser.submit(page, formTo(page, path, sent), fields);
  }

  async function bulk(
    page: VisitedPage,
    action: string,
    fields: Readonly<Record<string, string>>,
  ): Promise<VisitedPage> {
    return await press(page, '/stock/bulk', fields, { do: action });
  }

  it('a bulk action can be undone with the button of its message, unless a unit was changed later', async () => {
    const [first, second] = [await desk.makeUnit(), await desk.makeUnit({ status: 'reserved' })];
    const ids = [first, second];
    const all = Object.fromEntries(ids.map((id) => [`unit.${id}`, 'on']));
    const list = await desk.owner.visit('/stock?status=all');
    const statuses = async (): Promise<string> =>
      (await Promise.all(ids.map(unitOf))).map(({ status }) => status).join();
    const undo = async (page: VisitedPage): Promise<VisitedPage> =>
      await press(page, '/stock/bulk/undo');
    const sold = await bulk(list, 'sell', all);
    assert.equal(await statuses(), 'sold,sold');
    const undone = await undo(sold);
    assertSays(undone, flashText('units_undone.2.0', 'en'));
    assert.ok(undone.url.endsWith('/stock?status=all'), undone.url);
    assert.equal(await statuses(), 'in_stock,reserved');
    assertSays(await undo(sold), flashText('unchanged', 'en'));
    const moved = await bulk(list, 'move', { ...all, place: desk.siteId });
    assert.equal((await unitOf(second)).location, null);
    await undo(moved);
    assert.equal((await unitOf(second)).location?.id, desk.locationId);
    const reserved = await bulk(list, 'reserve', { [`unit.${first}`]: 'on' });
    const shown = await desk.owner.visit('/stock?status=all');
    assert.equal(
      hasFormTo(shown, '/stock/bulk/undo'),
      false,
      'the button is shown only beside its message',
    );
    const page = await desk.owner.visit(`/stock/${first}`);
    await press(page, '/status', {}, { to: 'sold' });
    const refused = await undo(reserved);
    assertSays(refused, bulkMessages.en.refused(1));
    assert.equal(await statuses(), 'sold,reserved');
    const forged = await press(sold, '/stock/bulk/undo', { is: 'voided' });
    assertSays(forged, flashText('unchanged', 'en'));
    const mixed = await bulk(list, 'release', all);
    await undo(mixed);
    assert.equal(await statuses(), 'sold,reserved', 'the button works beside refused units too');
  });

  it('the data to undo a bulk action fits into a cookie even if 50 units were each at a different place', () => {
    const value = (): string => `${newId()}/${newId()}`;
    const oldValues = new Map(Array.from({ length: 50 }, () => [newId(), value()] as const));
    const change = { newValue: value(), oldValues };
    const [line = ''] = renderUndoCookies(change, true);
    assert.ok(line.length < 4_096 && line.includes('; Secure'), `${line.length}`);
    const cookie = line.slice(0, line.indexOf(';'));
    assert.deepEqual(readBulkChange(cookie), change);
    assert.deepEqual(renderUndoCookies({ newValue: 'sold', oldValues: new Map() }, true), []);
  });
});
