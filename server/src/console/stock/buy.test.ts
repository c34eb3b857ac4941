import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AppClient } from '../../../test/app-client.ts';
import { type BoostConsole, startBoostConsole } from '../../../test/boost-console.ts';
import { CHROMIUM_PATH, withChromium } from '../../../test/chromium.ts';
import { assertSays, says } from '../../../test/console-pages.ts';
import { formTo, hasFormTo, type VisitedPage } from '../../../test/plain-browser.ts';
import { openTestDatabase, type TestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { readHead } from '../../inventory/feed.ts';
import { listStock } from '../../inventory/stock-list.ts';
import { findStockUnit, type StockUnitDetails } from '../../inventory/stock-unit.ts';
import { unitIdOf } from '../../receipts/receipt.ts';
import { startSession } from '../../shops/session.ts';
import { flashText } from '../flash.ts';
import { receiptMessages } from '../parts/messages/receipt.ts';
import { buyMessages } from './messages/buy.ts';
import { certificateMessages, receiveMessages } from './messages/unit.ts';

describe('buying on a boost', () => {
  let base: TestDatabase;
  let scene: BoostConsole;
  before(async () => {
    base = await openTestDatabase();
    scene = await startBoostConsole(base);
  });
  after(async () => {
    await scene[Symbol.asyncDispose]();
    await base.close();
  });

  async function put(members: object = {}): Promise<string> {
    const id = newId();
    const target = { kind: 'card', cardId: scene.catalog.cardId };
    const boost = { target, priceMinor: 500, remainingQuantity: 5, ...members };
    await scene.till('PUT', `/boosts/${id}`, boost);
    return id;
  }

  const leftOf = async (id: string): Promise<unknown> =>
    (await scene.till('GET', `/boosts/${id}`))['remainingQuantity'];
  const head = async (): Promise<number> => (await readHead(base.db, scene.seeded.shop.id)).seq;
  const buy = async (
    page: VisitedPage,
    fields: Readonly<Record<string, string>> = {},
    browser = scene.owner,
  ): Promise<VisitedPage> => await browser.submit(page, formTo(page, '/buy'), fields);
  const undo = async (page: VisitedPage): Promise<VisitedPage> =>
    await scene.owner.submit(page, formTo(page, '/undo'));

  async function unitsOf(page: VisitedPage, count: number): Promise<StockUnitDetails[]> {
    const receiptId = new URL(page.url).searchParams.get('bought') ?? '';
    const { id } = scene.seeded.shop;
    const found = await Promise.all(
      Array.from({ length: count }, async (_, index) =>
        findStockUnit(base.db, id, unitIdOf(id, receiptId, index)),
      ),
    );
    return found.filter((unit) => unit !== undefined);
  }

  it('a purchase lowers the remaining quantity and creates the units once, even if the form is sent twice', async () => {
    const id = await put();
    const before = await scene.visit(`/boosts/${id}`);
    assert.ok(before.text.includes(`/boosts/${id}/buy"`));
    const page = await scene.visit(`/boosts/${id}/buy`);
    assert.match(page.text, /name="cost"[^>]*value="500"/);
    const seq = await head();
    const done = await buy(page, { quantity: '2', cost: '450' });
    assertSays(done, receiptMessages.en.bought(2, '蒼天竜アルバ'));
    const again = await buy(page, { quantity: '2', cost: '450' });
    assertSays(again, receiptMessages.en.bought(2, '蒼天竜アルバ'));
    assert.equal(await leftOf(id), 3);
    assert.equal(await head(), seq + 2);
    const units = await unitsOf(done, 3);
    assert.deepEqual(
      units.map(({ costMinor, currency, status }) => [costMinor, currency, status]),
      [
        [450, 'JPY', 'in_stock'],
        [450, 'JPY', 'in_stock'],
      ],
    );
    const { purchases } = await scene.till('GET', `/boosts/${id}/purchases`);
    assert.ok(Array.isArray(purchases) && purchases.length === 1);
  });

  it('apps see the remaining quantity and the new units immediately after a purchase', async () => {
    const id = await put({ priceMinor: 123_456 });
    const client = new AppClient(scene.service, scene.seeded);
    const { access_token: token } = await client.tokens({});
    const connected = await client.call('POST', '/connection', token);
    assert.equal(connected.status, 201);
    const read = async (path: string): Promise<string> => {
      const answer = await client.call('GET', path, token);
      assert.equal(answer.status, 200, answer.text);
      return answer.text;
    };
    const leftForApps = async (): Promise<unknown> => {
      const { boosts }: { boosts: readonly { id: string; remainingQuantity: number }[] } =
        JSON.parse(await read('/purchase-boosts'));
      return boosts.find((each) => each.id === id)?.remainingQuantity;
    };
    assert.equal(await leftForApps(), 5);
    const done = await buy(await scene.visit(`/boosts/${id}/buy`), { quantity: '1' });
    const [unit] = await unitsOf(done, 1);
    assert.equal(await leftForApps(), 4);
    const feed = await read('/inventory/changes?limit=500');
    assert.ok(unit !== undefined && feed.includes(unit.id));
    await undo(done);
    assert.equal(await leftForApps(), 5);
  });

  it('a purchase is rejected, and nothing is written, if the boost has ended, a value is invalid or too few units remain', async () => {
    const id = await put({ remainingQuantity: 2 });
    const page = await scene.visit(`/boosts/${id}/buy`);
    const seq = await head();
    for (const [wrong, sentence] of [
      [{ quantity: '3' }, buyMessages.en.fewerLeft('2')],
      [{ quantity: '0' }, receiveMessages.en.noQuantity],
      [{ place: newId() }, null],
      [{ grade: newId() }, null],
      [{ quantity: '2', certificates: 'A\nB\nC' }, certificateMessages.en.count(3, 2)],
      [{ certificates: 'A\nA' }, certificateMessages.en.doubled('A')],
      [{ cost: 'x' }, null],
    ] as const) {
      const refused = await buy(page, wrong);
      assert.equal(refused.status, 422, JSON.stringify(wrong));
      if (sentence !== null) assertSays(refused, sentence);
    }
    await scene.till('POST', `/boosts/${id}/end`);
    const ended = await buy(page, { quantity: '1' });
    assert.equal(ended.status, 422);
    assertSays(ended, buyMessages.en.ended);
    assert.deepEqual([await leftOf(id), await head()], [2, seq]);
    const { purchases } = await scene.till('GET', `/boosts/${id}/purchases`);
    assert.deepEqual(purchases, []);
    // The boost's page no longer has a Buy button, and the form's page redirects to the boost.
    const shown = await scene.visit(`/boosts/${id}/buy`);
    assert.ok(shown.url.endsWith(`/boosts/${id}`));
    assert.ok(!shown.text.includes('/buy"'));
  });

  it('a purchase gives each unit its certificate number, and an unlimited boost stays unlimited', async () => {
    const id = await put({ remainingQuantity: null });
    const page = await scene.visit(`/boosts/${id}/buy`);
    const done = await buy(page, { certificates: ' C-1\r\nC-2 \r\n\r\nC-3' });
    const units = await unitsOf(done, 4);
    assert.deepEqual(
      units.map(({ certNumber }) => certNumber),
      ['C-1', 'C-2', 'C-3'],
    );
    assert.equal(await leftOf(id), null);
  });

  async function putOwnGrade(): Promise<string> {
    const gradeId = newId();
    const service = { serviceCode: 'own', serviceName: 'Own' };
    await scene.till('PUT', `/grades/${gradeId}`, { code: 'A', label: 'A', ...service });
    return gradeId;
  }

  it('the form has no certificate numbers on a boost for the shop’s own grade', async () => {
    const { cardId, gradeId } = scene.catalog;
    for (const [grade, isThere] of [
      [await putOwnGrade(), false],
      [gradeId, true],
    ] as const) {
      const id = await put({ target: { kind: 'card', cardId, gradeId: grade } });
      const page = await scene.visit(`/boosts/${id}/buy`);
      assert.equal(page.text.includes('name="certificates"'), isThere);
    }
  });

  it(
    'on a boost for any grade, certificate numbers are shown for a graded card, with and without scripts',
    { skip: CHROMIUM_PATH === undefined },
    async () => {
      const own = await putOwnGrade();
      const id = await put();
      const { publicUrl } = scene.service;
      const { shop, member } = scene.seeded;
      const { secret } = await startSession(base.db, member.account.id, scene.clock.now());
      for (const hasScripts of [true, false]) {
        await withChromium({ locale: 'en-GB', width: 1_280, hasScripts }, async (context) => {
          await context.addCookies([{ name: 'cardport_session', value: secret, url: publicUrl }]);
          const page = await context.newPage();
          await page.goto(`${publicUrl}/console/shops/${shop.slug}/boosts/${id}/buy`);
          const certificates = page.locator('textarea[name="certificates"]');
          const isShownFor = async (gradeId: string): Promise<boolean> => {
            await page.locator('select[name="grade"]').selectOption(gradeId);
            return await certificates.isVisible();
          };
          assert.deepEqual(
            [await isShownFor(''), await isShownFor(own), await isShownFor(scene.catalog.gradeId)],
            [false, false, true],
          );
          await certificates.fill('C-1');
          assert.equal(await isShownFor(own), true, 'a typed number is not hidden');
        });
      }
    },
  );

  it('a purchase is undone once, which voids the units and restores the quantity', async () => {
    const id = await put();
    const done = await buy(await scene.visit(`/boosts/${id}/buy`), { quantity: '2' });
    const undone = await undo(done);
    assertSays(undone, flashText('purchase_undone', 'en'));
    assert.equal(hasFormTo(undone, '/undo'), false);
    assert.equal(await leftOf(id), 5);
    assert.deepEqual(
      (await unitsOf(done, 2)).map(({ status }) => status),
      ['voided', 'voided'],
    );
    const seq = await head();
    assertSays(await undo(done), flashText('unchanged', 'en'));
    assert.deepEqual([await leftOf(id), await head()], [5, seq]);
    // The message is shown only once: a second visit to the same address does not show it.
    const reloaded = await scene.visit(
      `/boosts/${id}?${new URL(done.url).searchParams.toString()}`,
    );
    assert.equal(says(reloaded, receiptMessages.en.bought(2, '蒼天竜アルバ')), false);
  });

  it('a purchase cannot be undone after a unit was sold or the boost ended', async () => {
    const id = await put();
    const done = await buy(await scene.visit(`/boosts/${id}/buy`), { quantity: '2' });
    const [, sold] = await unitsOf(done, 2);
    assert.ok(sold !== undefined);
    await scene.till('PUT', `/units/${sold.id}`, { status: 'sold' });
    const refused = await undo(done);
    assert.equal(refused.status, 422);
    assertSays(refused, receiptMessages.en.refused.unit_changed);
    assert.ok(refused.text.includes(`/stock/${sold.id}"`));
    assert.equal(await leftOf(id), 3);
    assert.deepEqual(
      (await unitsOf(done, 2)).map(({ status }) => status),
      ['in_stock', 'sold'],
    );
    const other = await put();
    const bought = await buy(await scene.visit(`/boosts/${other}/buy`));
    await scene.till('POST', `/boosts/${other}/end`);
    const late = await undo(bought);
    assert.equal(late.status, 422);
    assertSays(late, receiptMessages.en.refused.boost_ended);
    assert.equal((await unitsOf(bought, 1))[0]?.status, 'in_stock');
  });

  it('a purchase needs four permissions, and without inventory.cost the boost’s price becomes the cost', async () => {
    const id = await put();
    const clerk = await scene.memberWith([
      'purchases.read',
      'purchases.write',
      'inventory.read',
      'inventory.write',
    ]);
    const page = await scene.visit(`/boosts/${id}/buy`, clerk);
    assert.doesNotMatch(page.text, /name="cost"/);
    const done = await buy(page, { cost: '1' }, clerk);
    assert.equal((await unitsOf(done, 1))[0]?.costMinor, 500);
    const buyer = await scene.memberWith(['purchases.read', 'purchases.write', 'inventory.read']);
    const shown = await scene.visit(`/boosts/${id}`, buyer);
    assert.ok(!shown.text.includes('/buy"') && !hasFormTo(shown, '/undo'));
    assert.equal((await scene.visit(`/boosts/${id}/buy`, buyer)).status, 403);
    // A member who may only change stock cannot change a boost by undoing.
    const stocker = await scene.memberWith(['inventory.read', 'inventory.write']);
    const stock = await scene.visit('/stock/receive', stocker);
    const { fields } = formTo(stock, '/receive');
    const action = formTo(done, '/undo').action;
    const refused = await stocker.submit(stock, { action, fields });
    assert.equal(refused.status, 403);
    assert.equal(await leftOf(id), 4);
  });

  it('the last unit of a boost is recorded once if two members buy it at the same time', async () => {
    const id = await put({ remainingQuantity: 1 });
    const pages = [await scene.visit(`/boosts/${id}/buy`), await scene.visit(`/boosts/${id}/buy`)];
    const before = (await listAll()).length;
    const answers = await Promise.all(pages.map(async (page) => await buy(page)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [200, 422],
    );
    assert.equal(await leftOf(id), 0);
    assert.equal((await listAll()).length, before + 1);
    const full = await scene.visit(`/boosts/${id}`);
    assert.ok(!full.text.includes('/buy"'));
  });

  async function listAll(): Promise<readonly unknown[]> {
    const all = { beforeSeq: null, limit: 200 };
    return (await listStock(base.db, scene.seeded.shop.id, {}, all)).units;
  }
});
