import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertSays, says } from '../../../test/console-pages.ts';
import { importCards, newCard, TEST_GAME } from '../../../test/catalog.ts';
import { formTo, hasFormTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { isUndoable, linesOf, scan } from '../../../test/receive-form.ts';
import { seedShop } from '../../../test/service.ts';
import { openStockConsole, type StockConsole } from '../../../test/stock-console.ts';
import { insertTestGrade, insertTestProduct } from '../../../test/stock.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { statement } from '../../database/statement.ts';
import { readHead } from '../../inventory/feed.ts';
import { findStockUnit, type StockUnitDetails } from '../../inventory/stock-unit.ts';
import { insertReceipts, unitIdOf } from '../../receipts/receipt.ts';
import { flashText } from '../flash.ts';
import { formMessages } from '../parts/form/messages.ts';
import { refusalText } from './refusal-text.ts';
import { receiveLineMessages, receivedTodayMessages } from './messages/receive.ts';
import { certificateMessages, receiveMessages } from './messages/unit.ts';

const backdateReceipts = statement(
  'test_backdate_receipts',
  `update receipt set received_at = $2 where shop_id = $1`,
);

const { scanErrors } = receiveLineMessages.en;
const ALBA = 'Alba <i>';

describe('the receiving form', () => {
  let base: TestDatabase;
  let desk: StockConsole;
  let place: string;
  const boxId = newId();
  before(async () => {
    base = await openTestDatabase();
    desk = await openStockConsole(base);
    place = `${desk.siteId}/${desk.locationId}`;
    await base.db.query(insertTestProduct, [boxId, TEST_GAME.id]);
    await importCards(base.db, [
      newCard('Twin', { cardNumber: '079', setTotalRaw: '100' }),
      newCard('Twin', { cardNumber: '079', setTotalRaw: '200' }),
    ]);
    await desk.service.search.whenCurrent();
  });
  after(async () => {
    await desk[Symbol.asyncDispose]();
    await base.close();
  });

  const open = async (): Promise<VisitedPage> => await desk.owner.visit('/stock/receive');
  const add = async (
    page: VisitedPage,
    text: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<VisitedPage> => await scan(desk.owner.browser, page, text, { place, ...fields });
  const press = async (
    page: VisitedPage,
    fields: Readonly<Record<string, string>> = {},
    sent: Readonly<Record<string, string>> = {},
  ): Promise<VisitedPage> =>
    await desk.owner.browser.submit(page, formTo(page, '/receive', sent), fields);
  const head = async (): Promise<number> => (await readHead(base.db, desk.seeded.shop.id)).seq;
  const shop = (): string => desk.seeded.shop.id;
  async function unitOf(receiptId: string, index: number): Promise<StockUnitDetails> {
    const unit = await findStockUnit(base.db, shop(), unitIdOf(shop(), receiptId, index));
    assert.ok(unit);
    return unit;
  }
  const idOf = (page: VisitedPage): string => linesOf(page)[0]?.id ?? '';

  const backdate = async (): Promise<void> => {
    await base.db.query(backdateReceipts, [shop(), new Date(Date.now() - 86_400_000)]);
  };

  it('the form adds a line for a JAN, number or name, or increases the quantity of an identical line', async () => {
    const seq = await head();
    let page = await open();
    assert.match(page.text, /name="scan"[^>]*autofocus/);
    page = await add(page, '２９０００００００００18');
    page = await add(page, '012', { price: '1,500', cost: '400' });
    page = await add(page, ALBA);
    page = await add(page, '079/200', { price: '1500' });
    page = await add(page, '012', { price: '1600' });
    page = await add(page, '星降るbox', { price: '', cost: '' });
    const lines = linesOf(page).map(({ quantity, texts }) => [
      texts['product'] ?? texts['card'],
      quantity,
      texts['price'] ?? '',
    ]);
    assert.deepEqual(lines.slice(0, 2), [
      [boxId, '2', ''],
      [desk.cardId, '1', '1600'],
    ]);
    assert.deepEqual(lines[3], [desk.cardId, '2', '1500']);
    assert.equal(lines.length, 4);
    assert.match(page.text, /name="scan"[^>]*value=""[^>]*autofocus/);
    assert.match(page.text, /Alba &lt;i&gt;/);
    assert.equal(await head(), seq, 'nothing is written yet');
    const less = await press(page, {}, { remove: idOf(page) });
    assert.deepEqual(
      linesOf(less).map(({ id }) => id),
      linesOf(page)
        .slice(1)
        .map(({ id }) => id),
    );
  });

  it('the form offers several matches to choose from, and keeps a text that matches nothing', async () => {
    const page = await open();
    for (const [text, error] of [
      ['4900000000000', scanErrors.nothing],
      ['zzzzzz', scanErrors.nothing],
      ['', scanErrors.empty],
      ['a'.repeat(151), scanErrors.too_long],
    ] as const) {
      const refused = await add(page, text);
      assert.equal(refused.status, 422, text);
      assertSays(refused, error);
      assert.equal(formTo(refused, '/receive').fields['scan'], text);
      assert.deepEqual(linesOf(refused), []);
    }
    const several = await add(page, '079', { price: '900' });
    assert.equal(several.status, 200);
    assertSays(several, receiveLineMessages.en.several('2'));
    const [, pick = ''] = /name="pick"\s+value="([^"]+)"/.exec(several.text) ?? [];
    const picked = await press(several, {}, { pick });
    const [line] = linesOf(picked);
    assert.deepEqual([`card/${line?.texts['card']}`, line?.texts['price']], [pick, '900']);
    const foreign = await press(several, { scan: '', pick: `card/${newId()}` });
    assert.equal(foreign.status, 422);
  });

  it('the form offers a scanned item again if a value is missing, so that it need not be scanned twice', async () => {
    const seq = await head();
    const refused = await add(await open(), '012', { place: '' });
    assert.equal(refused.status, 422);
    assertSays(refused, receiveMessages.en.noPlace);
    assert.deepEqual(linesOf(refused), []);
    const [, pick = ''] = /name="pick"\s+value="([^"]+)"/.exec(refused.text) ?? [];
    const added = await press(refused, { place }, { pick });
    assert.equal(linesOf(added).length, 1);
    assert.doesNotMatch(added.text, /name="pick"/);
    assert.equal(await head(), seq, 'nothing is received yet');
  });

  it('the form receives all lines once, even if it is sent twice, and shows errors by line', async () => {
    const seq = await head();
    let page = await add(await open(), '012', { price: '900', cost: '400' });
    const first = idOf(page);
    page = await add(page, boxId, { price: '5000' });
    const second = idOf(page);
    const count = `quantity.${first}`;
    const { noQuantity } = receiveMessages.en;
    for (const [wrong, sentence] of [
      [{ [count]: '0' }, noQuantity],
      [{ [count]: '101' }, noQuantity],
      [{ place: '' }, receiveMessages.en.noPlace],
      [{ price: 'x' }, formMessages.en.noAmount],
      [{ [count]: '3', [`certificates.${first}`]: 'A1\nA2' }, certificateMessages.en.count(2, 3)],
      [{ lines: '[]' }, scanErrors.empty],
      [{ lines: '{"' }, scanErrors.empty],
    ] as const) {
      const refused = await press(page, wrong);
      assert.equal(refused.status, 422, JSON.stringify(wrong));
      assertSays(refused, sentence);
    }
    const unknown = await add(page, '012', { grade: newId() });
    const refused = await press(unknown);
    assert.equal(refused.status, 422);
    const why = refusalText({ kind: 'unknown_reference', detail: '' }, 'en');
    assertSays(refused, receiveLineMessages.en.ofLine(ALBA, why));
    assert.match(refused.text, new RegExp(`href="#field-quantity-${idOf(unknown)}"`));
    assert.equal(linesOf(refused).length, 3);
    assert.equal(await head(), seq);
    const sent = { [count]: '3' };
    const done = await press(page, sent);
    assertSays(done, flashText('units_received.4.0', 'en'));
    assert.match(done.text, new RegExp(`value="${place}" selected`));
    assert.deepEqual(linesOf(done), []);
    assertSays(await press(page, sent), flashText('units_received.4.0', 'en'));
    assert.equal(await head(), seq + 4);
    const unit = await unitOf(first, 2);
    assert.deepEqual([unit.priceMinor, unit.costMinor, unit.status], [900, 400, 'in_stock']);
    assert.equal((await unitOf(second, 0)).item.kind, 'product');
    // Send the old page with one more line. The error names the lines that were already received.
    const more = await press(await add(page, '012', { price: '1' }), sent);
    assert.equal(more.status, 422);
    assertSays(more, receiveLineMessages.en.ofLine(ALBA, receiveLineMessages.en.known));
    assert.equal(await head(), seq + 4);
  });

  it('the form accepts a certificate number for each graded card, and keeps grade and ownership for the next line', async () => {
    const grade = newId();
    await base.db.query(insertTestGrade, [grade]);
    const given = { grade, price: '12000', ownership: 'consigned' };
    let page = await add(await open(), '012', given);
    page = await add(page, '012');
    const id = idOf(page);
    assert.deepEqual(
      linesOf(page).map(({ quantity }) => quantity),
      ['2'],
    );
    const done = await press(page, { [`certificates.${id}`]: 'PSA-1\r\nPSA-2' });
    assertSays(done, flashText('units_received.2.0', 'en'));
    const units = [await unitOf(id, 0), await unitOf(id, 1)];
    assert.deepEqual(
      units.map(({ certNumber, priceMinor, ownership }) => [certNumber, priceMinor, ownership]),
      [
        ['PSA-1', 12_000, 'consigned'],
        ['PSA-2', 12_000, 'consigned'],
      ],
    );
    assert.match(done.text, new RegExp(`value="${grade}" selected`));
    assert.match(done.text, /value="consigned" selected/);
    const [, received = ''] = done.text.split('id="received"');
    assert.match(received, /Kumo Grading Gem 10/);
  });

  it('the page lists today’s receipts with the member who recorded them, and can undo each line once', async () => {
    let page = await add(await open(), '012');
    const kept = idOf(page);
    page = await add(page, boxId);
    const id = idOf(page);
    const done = await press(page, { [`quantity.${id}`]: '2' });
    assertSays(done, desk.seeded.member.account.name);
    assert.ok(done.text.includes(`/stock/${unitIdOf(shop(), id, 0)}"`));
    assert.ok(isUndoable(done, id) && isUndoable(done, kept));
    const seq = await head();
    const undo = formTo(done, `/receipts/${id}/undo`);
    const undone = await desk.owner.browser.submit(done, undo);
    assertSays(undone, flashText('receipt_undone', 'en'));
    assertSays(undone, receivedTodayMessages.en.undone);
    assert.ok(!isUndoable(undone, id) && isUndoable(undone, kept));
    assertSays(await desk.owner.browser.submit(done, undo), flashText('unchanged', 'en'));
    assert.equal(await head(), seq + 2);
    assert.equal((await unitOf(id, 1)).status, 'voided');
    assert.equal((await unitOf(kept, 0)).status, 'in_stock');
    // Yesterday's receipts are not listed.
    await backdate();
    const later = await open();
    assert.ok(!hasFormTo(later, '/undo'));
    assertSays(later, receivedTodayMessages.en.nothing);
  });

  it('the form begins at the place where the same member last received something today', async () => {
    const isSelected = ({ text }: VisitedPage): boolean =>
      text.includes(`value="${place}" selected`);
    assert.equal(isSelected(await open()), false, 'all receipts are of yesterday');
    const added = await add(await open(), '012');
    await press(added);
    assert.equal(isSelected(await open()), true);
    const colleague = await desk.member(['inventory.read', 'inventory.write'], 'ja');
    assert.equal(isSelected(await colleague.visit('/stock/receive')), false);
    // Another person then receives more lines than "Received today" lists.
    const { account } = (await seedShop(base)).member;
    const ids = Array.from({ length: 60 }, () => newId());
    const [quantities, boosts] = [ids.map(() => 1), ids.map(() => null)];
    const values = [shop(), new Date(), account.id, ids, quantities, boosts];
    await base.db.query(insertReceipts, values);
    assert.equal(isSelected(await open()), true);
    await backdate();
    assert.equal(isSelected(await open()), false);
  });

  it('the form does not show or accept costs if the member may not see them', async () => {
    const clerk = await desk.member(['inventory.read', 'inventory.write'], 'ja');
    const page = await clerk.visit('/stock/receive');
    assert.doesNotMatch(page.text, /name="cost"/);
    const added = await scan(clerk.browser, page, '012', { place, cost: '5' });
    const [line] = linesOf(added);
    assert.equal(line?.texts['cost'], undefined);
    const lines = JSON.stringify([{ ...line?.texts, cost: '5' }]);
    const done = await clerk.browser.submit(added, formTo(added, '/receive'), { lines });
    assert.ok(says(done, flashText('units_received.1.0', 'ja')));
    assert.equal((await unitOf(line?.id ?? '', 0)).costMinor, null);
  });
});
