import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BoostConsole, startBoostConsole } from '../../../test/boost-console.ts';
import { assertSays, says } from '../../../test/console-pages.ts';
import { formTo, hasFormTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { linesOf, scan } from '../../../test/receive-form.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { readHead } from '../../inventory/feed.ts';
import { findStockUnit } from '../../inventory/stock-unit.ts';
import { unitIdOf } from '../../receipts/receipt.ts';
import { flashText } from '../flash.ts';
import { boostOfferMessages, buyMessages } from './messages/buy.ts';
import { receiveLineMessages } from './messages/receive.ts';

const { unanswered, closed } = boostOfferMessages.en;

describe('the receiving form, when the item has an open boost', () => {
  let base: TestDatabase;
  let scene: BoostConsole;
  let boostId: string;
  let place: string;
  before(async () => {
    base = await openTestDatabase();
    scene = await startBoostConsole(base);
    const page = await scene.visit('/stock/receive');
    place =
      /<option value="([0-9a-f-]{36})"/.exec(page.text.split('name="place"')[1] ?? '')?.[1] ?? '';
    assert.notEqual(place, '');
  });
  after(async () => {
    await scene[Symbol.asyncDispose]();
    await base.close();
  });

  /** Opens a boost for the card in any grade, and ends the boost of the previous test. */
  async function open(members: object = {}): Promise<void> {
    if (boostId !== undefined) await scene.till('POST', `/boosts/${boostId}/end`);
    boostId = newId();
    await put(boostId, members);
  }

  const put = async (id: string, members: object = {}): Promise<void> => {
    const target = { kind: 'card', cardId: scene.catalog.cardId };
    const boost = { target, priceMinor: 70_900, remainingQuantity: 2, ...members };
    await scene.till('PUT', `/boosts/${id}`, boost);
  };
  const left = async (): Promise<unknown> =>
    (await scene.till('GET', `/boosts/${boostId}`))['remainingQuantity'];
  const head = async (): Promise<number> => (await readHead(base.db, scene.seeded.shop.id)).seq;
  const nameLine = (text: string): string => receiveLineMessages.en.ofLine('蒼天竜アルバ', text);
  const isOffered = (page: VisitedPage): boolean =>
    linesOf(page)[0]?.texts['offered'] === boostId && /name="boost\.[^"]*"/.test(page.text);
  const idOf = (page: VisitedPage): string => linesOf(page)[0]?.id ?? '';

  /** Adds a line for the card to an empty form. */
  const add = async (
    fields: Readonly<Record<string, string>> = {},
    browser = scene.owner,
  ): Promise<VisitedPage> => {
    const page = await scene.visit('/stock/receive', browser);
    return await scan(browser, page, scene.catalog.cardId, { place, ...fields });
  };

  /** Sends a form with one line. */
  const receive = async (
    page: VisitedPage,
    { boost = '', quantity = '1', ...fields }: Readonly<Record<string, string>> = {},
    browser = scene.owner,
  ): Promise<VisitedPage> => {
    const id = idOf(page);
    return await browser.submit(page, formTo(page, '/receive'), {
      [`boost.${id}`]: boost,
      [`quantity.${id}`]: quantity,
      ...fields,
    });
  };

  async function costOf(id: string): Promise<number | null | undefined> {
    const { shop } = scene.seeded;
    return (await findStockUnit(base.db, shop.id, unitIdOf(shop.id, id, 0)))?.costMinor;
  }

  it('the receiving form offers the boost on the line, records a purchase if it is ticked, and can undo both', async () => {
    await open();
    const seq = await head();
    const page = await add({ price: '90000' });
    assert.ok(isOffered(page));
    assertSays(page, boostOfferMessages.en.offer('¥70,900', '2'));
    assert.deepEqual([await head(), await left()], [seq, 2]);
    const counted = { boost: 'on', quantity: '2' };
    const done = await receive(page, counted);
    assertSays(done, flashText('units_received.2.0', 'en'));
    // No quantity remains, but sending the same form again still succeeds.
    assertSays(await receive(page, counted), flashText('units_received.2.0', 'en'));
    assert.deepEqual([await head(), await left()], [seq + 2, 0]);
    assert.equal(await costOf(idOf(page)), 70_900);
    const undone = await scene.owner.submit(done, formTo(done, `/${idOf(page)}/undo`));
    assertSays(undone, flashText('purchase_undone', 'en'));
    assert.ok(undone.url.includes('/stock/receive'));
    assert.deepEqual([await head(), await left()], [seq + 4, 2]);
  });

  it('the receiving form records a purchase only for ticked lines, and keeps a typed cost', async () => {
    await open();
    const first = await add({ price: '1' });
    const plain = idOf(first);
    const page = await scan(scene.owner, first, scene.catalog.cardId, { cost: '65000' });
    const done = await receive(page, { boost: 'on' });
    assertSays(done, flashText('units_received.2.0', 'en'));
    assert.equal(await left(), 1);
    assert.deepEqual([await costOf(plain), await costOf(idOf(page))], [null, 65_000]);
  });

  it('the receiving form asks before it writes if a boost opened after the line was added', async () => {
    if (boostId !== undefined) await scene.till('POST', `/boosts/${boostId}/end`);
    const page = await add();
    assert.ok(!/name="boost\./.test(page.text));
    const seq = await head();
    boostId = newId();
    await put(boostId);
    const asked = await receive(page);
    assert.equal(asked.status, 422);
    assertSays(asked, nameLine(unanswered));
    assert.ok(isOffered(asked));
    assert.equal(await head(), seq);
    const done = await receive(asked);
    assertSays(done, flashText('units_received.1.0', 'en'));
    assert.equal(await left(), 2);
  });

  it('a closed boost, or more units than remain on the boost, is rejected; nothing is written, and the form is kept', async () => {
    await open();
    const page = await add({ price: '123' });
    const seq = await head();
    const many = await receive(page, { boost: 'on', quantity: '3' });
    assert.equal(many.status, 422);
    assertSays(many, nameLine(buyMessages.en.fewerLeft('2')));
    assert.equal(linesOf(many)[0]?.texts['price'], '123');
    assert.equal(linesOf(many)[0]?.quantity, '3');
    assert.match(many.text, /name="boost\.[^>]*checked/);
    for (const verb of ['pause', 'end']) {
      await scene.till('POST', `/boosts/${boostId}/${verb}`);
      const late = await receive(page, { boost: 'on' });
      assert.equal(late.status, 422, verb);
      assertSays(late, nameLine(closed));
      assert.equal(linesOf(late)[0]?.texts['price'], '123');
      assert.ok(!isOffered(late));
    }
    assert.deepEqual([await head(), await left()], [seq, 2]);
  });

  it('the last unit of a boost is recorded once if two members receive it at the same time', async () => {
    await open({ remainingQuantity: 1 });
    const pages = [await add(), await add()];
    const seq = await head();
    const answers = await Promise.all(
      pages.map(async (page) => await receive(page, { boost: 'on' })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [200, 422]);
    assert.deepEqual([await head(), await left()], [seq + 1, 0]);
  });

  it('the boost for the grade is offered first; boosts that are scheduled, filled or in another currency are not offered', async () => {
    const { gradeId } = scene.catalog;
    await open();
    const any = boostId;
    const exact = newId();
    await put(exact, {
      target: { kind: 'card', cardId: scene.catalog.cardId, gradeId },
      priceMinor: 100,
    });
    const graded = await add({ grade: gradeId });
    assert.equal(linesOf(graded)[0]?.texts['offered'], exact);
    assert.ok(isOffered(await add()));
    await scene.till('POST', `/boosts/${exact}/end`);
    for (const members of [
      { startsAt: '2999-01-01T00:00:00.000Z' },
      { remainingQuantity: 0 },
      { currency: 'USD' },
    ]) {
      await open(members);
      const page = await add();
      assert.equal(linesOf(page)[0]?.texts['offered'], undefined);
      assertSays(await receive(page), flashText('units_received.1.0', 'en'));
    }
    assert.notEqual(boostId, any);
  });

  it('no boost is offered or accepted without the permission, or from another shop', async () => {
    await open();
    const page = await add();
    const seq = await head();
    const withOffer = (of: VisitedPage, offered: string): string =>
      JSON.stringify(linesOf(of).map(({ texts }) => ({ ...texts, offered })));
    const refused = await receive(page, { boost: 'on', lines: withOffer(page, newId()) });
    assert.equal(refused.status, 422);
    assertSays(refused, nameLine(closed));
    const clerk = await scene.memberWith(['inventory.read', 'inventory.write']);
    const his = await add({}, clerk);
    assert.ok(!isOffered(his));
    const lines = withOffer(his, boostId);
    const denied = await receive(his, { boost: 'on', lines }, clerk);
    assert.equal(denied.status, 422);
    assert.ok(!isOffered(denied) && says(denied, nameLine(closed)));
    assert.deepEqual([await head(), await left()], [seq, 2]);
    const done = await receive(his, {}, clerk);
    assertSays(done, flashText('units_received.1.0', 'en'));
    assert.equal(await left(), 2);
    // The clerk cannot undo what the owner bought on a boost.
    const bought = await receive(page, { boost: 'on' });
    const path = `/${idOf(page)}/undo`;
    assert.ok(hasFormTo(bought, path));
    assert.ok(!hasFormTo(await scene.visit('/stock/receive', clerk), path));
  });
});
