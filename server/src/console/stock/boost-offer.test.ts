import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type BoostConsole, startBoostConsole } from '../../../test/boost-console.ts';
import { assertSays, says } from '../../../test/console-pages.ts';
import { formTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { readHead } from '../../inventory/feed.ts';
import { findStockUnit } from '../../inventory/stock-unit.ts';
import { unitIdOf } from '../../receipts/receipt.ts';
import { flashText } from '../flash.ts';
import { receiptMessages } from '../parts/messages/receipt.ts';
import { boostOfferMessages, buyMessages } from './messages/buy.ts';

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

  /** Opens a boost for the card in any grade, and ends the boost of the test before. */
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
  const receive = async (
    page: VisitedPage,
    fields: Readonly<Record<string, string>> = {},
    browser = scene.owner,
  ): Promise<VisitedPage> =>
    await browser.submit(page, formTo(page, '/receive'), {
      card: scene.catalog.cardId,
      place,
      ...fields,
    });
  const isOffered = (page: VisitedPage): boolean =>
    page.text.includes(`name="offered" value="${boostId}"`);

  /** Submits the form without an answer, so that it shows the offer. */
  async function offer(fields: Readonly<Record<string, string>> = {}): Promise<VisitedPage> {
    const page = await receive(await scene.visit('/stock/receive'), fields);
    assert.equal(page.status, 422);
    assertSays(page, unanswered);
    assert.ok(isOffered(page));
    return page;
  }

  async function costOf(done: VisitedPage): Promise<number | null | undefined> {
    const got = new URL(done.url).searchParams.get('got') ?? '';
    const { id } = scene.seeded.shop;
    return (await findStockUnit(base.db, id, unitIdOf(id, got, 0)))?.costMinor;
  }

  it('offers the boost before it writes, counts once when ticked, and undoes both', async () => {
    await open();
    const seq = await head();
    const page = await offer({ price: '90000' });
    assertSays(page, boostOfferMessages.en.offer('¥70,900', '2'));
    assert.match(page.text, /name="price"[^>]*value="90000"/);
    assert.deepEqual([await head(), await left()], [seq, 2]);
    const counted = { boost: 'on', quantity: '2', price: '90000' };
    const done = await receive(page, counted);
    assertSays(done, receiptMessages.en.bought(2, '蒼天竜アルバ'));
    // The boost has none left now, but the same form still succeeds.
    assertSays(await receive(page, counted), receiptMessages.en.bought(2, '蒼天竜アルバ'));
    assert.deepEqual([await head(), await left()], [seq + 2, 0]);
    assert.equal(await costOf(done), 70_900);
    const undone = await scene.owner.submit(done, formTo(done, '/undo'));
    assertSays(undone, flashText('purchase_undone', 'en'));
    assert.ok(undone.url.includes('/stock/receive'));
    assert.deepEqual([await head(), await left()], [seq + 4, 2]);
  });

  it('leaves the boost alone when the box is not ticked, and keeps a cost that was typed', async () => {
    await open();
    const done = await receive(await offer(), { boost: '' });
    assertSays(done, receiptMessages.en.received(1, '蒼天竜アルバ'));
    assert.equal(await left(), 2);
    assert.equal(await costOf(done), null);
    const counted = await receive(await offer(), { boost: 'on', cost: '65000' });
    assert.equal(await costOf(counted), 65_000);
    assert.equal(await left(), 1);
  });

  it('refuses more than remain and a boost that closed, writes nothing and keeps the form', async () => {
    await open();
    const page = await offer();
    const seq = await head();
    const many = await receive(page, { boost: 'on', quantity: '3', price: '123' });
    assert.equal(many.status, 422);
    assertSays(many, buyMessages.en.fewerLeft('2'));
    assert.match(many.text, /name="price"[^>]*value="123"/);
    assert.match(many.text, /name="boost"[^>]*checked/);
    for (const verb of ['pause', 'end']) {
      await scene.till('POST', `/boosts/${boostId}/${verb}`);
      const late = await receive(page, { boost: 'on', price: '123' });
      assert.equal(late.status, 422, verb);
      assertSays(late, closed);
      assert.match(late.text, /name="price"[^>]*value="123"/);
      assert.ok(!isOffered(late));
    }
    assert.deepEqual([await head(), await left()], [seq, 2]);
  });

  it('counts the last piece once when two members take it at once', async () => {
    await open({ remainingQuantity: 1 });
    const pages = [await offer(), await offer()];
    const seq = await head();
    const answers = await Promise.all(
      pages.map(async (page) => await receive(page, { boost: 'on' })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    assert.deepEqual(statuses, [200, 422]);
    assert.deepEqual([await head(), await left()], [seq + 1, 0]);
  });

  it('offers the boost of the grade first, and none that is scheduled, filled or in another currency', async () => {
    const { gradeId } = scene.catalog;
    await open();
    const any = boostId;
    const exact = newId();
    await put(exact, {
      target: { kind: 'card', cardId: scene.catalog.cardId, gradeId },
      priceMinor: 100,
    });
    const graded = await receive(await scene.visit('/stock/receive'), { grade: gradeId });
    assert.ok(graded.text.includes(`name="offered" value="${exact}"`));
    assert.ok(isOffered(await offer()));
    await scene.till('POST', `/boosts/${exact}/end`);
    for (const members of [
      { startsAt: '2999-01-01T00:00:00.000Z' },
      { remainingQuantity: 0 },
      { currency: 'USD' },
    ]) {
      await open(members);
      const done = await receive(await scene.visit('/stock/receive'));
      assertSays(done, receiptMessages.en.received(1, '蒼天竜アルバ'));
    }
    assert.notEqual(boostId, any);
  });

  it('neither offers nor counts a boost without the permission, or a boost of another shop', async () => {
    await open();
    const page = await offer();
    const seq = await head();
    const forged = formTo(page, '/receive');
    const foreign = { ...forged, fields: { ...forged.fields, offered: newId() } };
    const refused = await scene.owner.submit(page, foreign, {
      card: scene.catalog.cardId,
      place,
      boost: 'on',
    });
    assert.equal(refused.status, 422);
    assertSays(refused, closed);
    const clerk = await scene.memberWith(['inventory.read', 'inventory.write']);
    const empty = await scene.visit('/stock/receive', clerk);
    const { action, fields } = formTo(empty, '/receive');
    const sent = { card: scene.catalog.cardId, place, boost: 'on', offered: boostId };
    const denied = await clerk.submit(empty, { action, fields: { ...fields, ...sent } });
    assert.equal(denied.status, 422);
    assert.ok(!isOffered(denied) && says(denied, closed));
    assert.deepEqual([await head(), await left()], [seq, 2]);
    const done = await receive(empty, {}, clerk);
    assert.ok(says(done, receiptMessages.en.received(1, '蒼天竜アルバ')));
    assert.equal(await left(), 2);
  });
});
