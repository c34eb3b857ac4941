import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { newId } from '../src/base/secrets.ts';
import { putUnits, UNIT_BATCH_MAX } from '../src/inventory/unit.ts';
import { findStockUnit, type StockUnitDetails } from '../src/inventory/stock-unit.ts';
import { mailsTo } from '../test/mails.ts';
import { idFromUrl, openPerson, type Person, signInAs } from '../test/browser-person.ts';
import { type ActionScene, openActionScene } from '../test/action-scene.ts';
import { AppClient } from '../test/app-client.ts';
import { type CatalogCard, importCards, newCard } from '../test/catalog.ts';
import { CHROMIUM_PATH, openChromium } from '../test/chromium.ts';
import { openTestDatabase } from '../test/test-database.ts';

const IS_FULL = process.env['PROVE_FULL'] === '1';
const UNITS = IS_FULL ? 100_000 : 10_000;
const CARDS = 200;
const PHONE = { locale: 'ja-JP', width: 390 } as const;
const DESKTOP = { locale: 'en-GB', width: 1440 } as const;

/** Performs a member's actions and counts them: taps, typed texts, keys, choices and scans. */
class Hand {
  acts = 0;
  readonly person: Person;

  constructor(person: Person) {
    this.person = person;
  }

  async tap(target: Locator): Promise<void> {
    this.acts += 1;
    await target.click();
  }

  /** Taps an element that leads to another page. */
  async go(target: Locator): Promise<void> {
    await this.person.navigate(async () => await this.tap(target));
  }

  async type(field: string, text: string): Promise<void> {
    this.acts += 1;
    await this.person.field(field).fill(text);
  }

  /** Types a text into the search of Home. */
  async search(text: string): Promise<void> {
    await this.type('q', text);
    this.acts += 1;
    await this.person.navigate(async () => await this.person.page.keyboard.press('Enter'));
  }

  async choose(field: string, label: string): Promise<void> {
    this.acts += 1;
    await this.person.field(field).selectOption({ label });
  }

  /** Scans a code into the field that has the focus. */
  async scan(code: string): Promise<void> {
    this.acts += 1;
    const { page } = this.person;
    await page.locator('[name="scan"]:focus').waitFor();
    await page.keyboard.type(code);
    await this.person.navigate(async () => await page.keyboard.press('Enter'));
  }

  link(path: string): Locator {
    const { slug } = this.person.scene.shop.shop;
    return this.person.page.locator(`a[href="/console/shops/${slug}${path}"]:visible`).first();
  }

  submit(path: string): Locator {
    const { slug } = this.person.scene.shop.shop;
    const action = `/console/shops/${slug}${path}`;
    return this.person.page
      .locator(`form[action="${action}"] button[type="submit"]:not([name]):visible`)
      .first();
  }
}

interface ChangePage {
  readonly changes: readonly { readonly id: string; readonly data: { readonly status: string } }[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

function cardIdOf(unit: StockUnitDetails | undefined): string | null {
  return unit?.item.kind === 'card' ? unit.item.card.id : null;
}

describe('a day at the counter', { skip: CHROMIUM_PATH === undefined }, () => {
  const opened = new AsyncDisposableStack();
  const cards: readonly CatalogCard[] = Array.from({ length: CARDS }, (_, at) =>
    newCard(`星の札 ${String(at).padStart(3, '0')}`, {
      localizedNames: { en: `Star Card ${at}` },
      cardNumber: `${String(at).padStart(3, '0')}/200`,
      janCode: `49${String(at).padStart(11, '0')}`,
    }),
  );
  let scene: ActionScene;
  let clerk: Person;
  let owner: Person;
  before(async () => {
    scene = opened.use(await openActionScene(opened.use(await openTestDatabase())));
    await importCards(scene.base.db, cards);
    await scene.service.search.whenCurrent();
    await fillStock();
    const phone = opened.use(await openChromium(PHONE));
    clerk = await openPerson(phone.context, { scene, language: 'ja', hasScripts: true });
    await signInAs(clerk, scene.clerkId);
    const desktop = opened.use(await openChromium(DESKTOP));
    owner = await openPerson(desktop.context, { scene, language: 'en', hasScripts: true });
    await signInAs(owner, scene.shop.member.account.id);
  });
  after(async () => await opened.disposeAsync());

  async function fillStock(): Promise<void> {
    const { base, shop, site } = scene;
    for (let at = 0; at < UNITS; at += UNIT_BATCH_MAX) {
      const units = Array.from({ length: UNIT_BATCH_MAX }, (_, index) => ({
        id: newId(),
        siteId: site.id,
        // The first three cards have no stock yet, so that all their units are received during the
        // test.
        item: { kind: 'card' as const, cardId: cards[3 + ((at + index) % (CARDS - 3))]?.id ?? '' },
        priceMinor: 1_000 + index,
      }));
      await base.db.transaction(async (tx) => await putUnits(tx, shop.shop, units, new Date()));
    }
  }

  /**
   * Runs a task that starts at Home, and reports its number of actions next to an earlier number.
   */
  function task(
    name: string,
    { person, before: earlier }: { readonly person: () => Person; readonly before: string },
    work: (hand: Hand) => Promise<void>,
  ): void {
    it(name, async (t) => {
      const hand = new Hand(person());
      await hand.person.open('');
      await work(hand);
      t.diagnostic(`acts: ${hand.acts} (before: ${earlier})`);
    });
  }

  const cardOf = (at: number): CatalogCard => cards[at] ?? assert.fail(String(at));

  let app: AppClient;
  let token = '';
  /** Reads a path of the Partner API with the app's token. */
  async function read(path: string): Promise<Readonly<Record<string, unknown>>> {
    const answer = await fetch(`${scene.service.partnerUrl}${path}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 200, path);
    const value: unknown = await answer.json();
    return typeof value === 'object' && value !== null ? { ...value } : {};
  }

  async function remainingOf(boostId: string): Promise<number | null | undefined> {
    const { boosts } = (await read('/purchase-boosts')) as {
      readonly boosts: readonly {
        readonly id: string;
        readonly remainingQuantity: number | null;
      }[];
    };
    return boosts.find(({ id }) => id === boostId)?.remainingQuantity;
  }

  let cursor: string | null = null;
  /** Follows the feed to its end and returns the status of each changed unit. */
  async function readChanges(): Promise<ReadonlyMap<string, string>> {
    const changed = new Map<string, string>();
    for (;;) {
      const query = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page = (await read(`/inventory/changes?limit=1000${query}`)) as unknown as ChangePage;
      for (const { id, data } of page.changes) changed.set(id, data.status);
      cursor = page.nextCursor;
      if (!page.hasMore) return changed;
    }
  }

  task('an owner lets an app in', { person: () => owner, before: '3' }, async (hand) => {
    const { page } = hand.person;
    app = new AppClient(scene.service, scene.shop);
    await page.goto(app.authorizationUrl());
    const [back] = await Promise.all([
      page.waitForRequest((request) => request.url().startsWith(scene.shop.redirectUri)),
      hand.tap(page.locator('button[name="decision"][value="allow"]')),
    ]);
    const code = new URL(back.url()).searchParams.get('code') ?? assert.fail(back.url());
    token = (await app.exchange(code)).body.access_token ?? assert.fail('no token');
    await readChanges();
  });

  let boostId = '';
  task('an owner posts a buy boost', { person: () => owner, before: '7' }, async (hand) => {
    const { page } = hand.person;
    await hand.go(hand.link('/boosts/new'));
    await hand.type('card_q', cardOf(0).cardNumber ?? '');
    await hand.tap(page.getByRole('listbox').getByRole('option').first());
    await hand.type('price', '70900');
    await hand.type('left', '3');
    await hand.go(hand.submit('/boosts/new'));
    boostId = idFromUrl(page);
    assert.equal(await remainingOf(boostId), 3);
  });

  const received: string[] = [];
  task('a clerk receives three copies', { person: () => clerk, before: '9' }, async (hand) => {
    const { page } = hand.person;
    await hand.go(hand.link('/stock/receive'));
    await hand.choose('place', scene.site.name);
    await hand.type('price', '1500');
    await hand.tap(hand.person.field('scan'));
    for (let at = 0; at < 3; at++) await hand.scan(cardOf(1).janCode ?? '');
    await hand.go(hand.submit('/stock/receive'));
    assert.equal(await page.locator('#received tbody tr').count(), 1);
    const changes = await readChanges();
    received.push(...changes.keys());
    assert.deepEqual([...changes.values()], ['in_stock', 'in_stock', 'in_stock']);
    for (const id of received) {
      const unit = await findStockUnit(scene.base.db, scene.shop.shop.id, id);
      assert.deepEqual([cardIdOf(unit), unit?.priceMinor], [cardOf(1).id, 1_500]);
    }
  });

  task('a clerk finds a card by its number', { person: () => clerk, before: '3' }, async (hand) => {
    await hand.search(cardOf(1).cardNumber ?? '');
    const found = hand.person.page.locator('#stock-results a.unit-name');
    await found.nth(2).waitFor();
    const [id = ''] = received;
    await hand.person.page.locator(`#stock-results a[href$="/stock/${id}"]`).waitFor();
  });

  task('a clerk sells a unit', { person: () => clerk, before: '6' }, async (hand) => {
    const [id = ''] = received;
    await hand.search(cardOf(1).cardNumber ?? '');
    await hand.go(hand.person.page.locator(`#stock-results a.unit-name[href$="/stock/${id}"]`));
    await hand.go(hand.person.page.locator(`form[action$="/stock/${id}/status"] button.first`));
    assert.deepEqual(await readChanges(), new Map([[id, 'sold']]));
  });

  task(
    'a clerk sells two units, then undoes it',
    { person: () => clerk, before: '12, one by one' },
    async (hand) => {
      const { page } = hand.person;
      const [, second = '', third = ''] = received;
      await hand.search(cardOf(1).cardNumber ?? '');
      for (const id of [second, third]) {
        const box = hand.person.field(`unit.${id}`);
        await box.waitFor();
        await hand.tap(box);
      }
      await hand.go(page.locator('.bulk button[name="do"][value="sell"]'));
      const sold = 'sold';
      assert.deepEqual(
        await readChanges(),
        new Map([
          [second, sold],
          [third, sold],
        ]),
      );
      await hand.go(page.locator('form[action$="/stock/bulk/undo"] button'));
      const back = 'in_stock';
      assert.deepEqual(
        await readChanges(),
        new Map([
          [second, back],
          [third, back],
        ]),
      );
    },
  );

  task('a clerk buys on the boost', { person: () => clerk, before: 'impossible' }, async (hand) => {
    const { page } = hand.person;
    await hand.go(hand.link(`/boosts/${boostId}`));
    await hand.go(hand.link(`/boosts/${boostId}/buy`));
    await hand.choose('place', scene.site.name);
    await hand.go(hand.submit(`/boosts/${boostId}/buy`));
    assert.equal(await remainingOf(boostId), 2);
    const [bought = ''] = (await readChanges()).keys();
    const unit = await findStockUnit(scene.base.db, scene.shop.shop.id, bought);
    assert.deepEqual([cardIdOf(unit), unit?.costMinor], [cardOf(0).id, 70_900]);
    await hand.go(page.locator('form[action*="/stock/receipts/"] button').first());
    assert.equal(await remainingOf(boostId), 3);
    assert.deepEqual(await readChanges(), new Map([[bought, 'voided']]));
  });

  task(
    'a clerk receives a card that has an open boost, and counts it',
    { person: () => clerk, before: 'impossible' },
    async (hand) => {
      await hand.go(hand.link('/stock/receive'));
      await hand.choose('place', scene.site.name);
      await hand.scan(cardOf(0).janCode ?? '');
      await hand.tap(hand.person.page.locator('input[type="checkbox"][name^="boost."]'));
      await hand.go(hand.submit('/stock/receive'));
      assert.equal(await remainingOf(boostId), 2);
      assert.equal((await readChanges()).size, 1);
    },
  );

  task(
    'an owner imports a spreadsheet',
    { person: () => owner, before: 'impossible' },
    async (hand) => {
      const { page } = hand.person;
      const file = `name,number,quantity,price\n${cardOf(2).name},${cardOf(2).cardNumber},4,2000\n`;
      await hand.go(hand.link('/stock'));
      await hand.go(hand.link('/stock/import'));
      await hand.tap(page.locator('input[type="file"]'));
      await page.locator('input[type="file"]').setInputFiles({
        name: 'stock.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(file),
      });
      await hand.choose('place', scene.site.name);
      await hand.go(hand.submit('/stock/import'));
      const settled = page.locator('main:not(:has(progress))');
      await settled.waitFor();
      await hand.go(hand.submit(`/stock/import/${idFromUrl(page)}/apply`));
      await settled.waitFor();
      await page.locator('.note.good').waitFor();
      const changes = await readChanges();
      assert.equal(changes.size, 4);
      for (const id of changes.keys()) {
        const unit = await findStockUnit(scene.base.db, scene.shop.shop.id, id);
        assert.deepEqual([cardIdOf(unit), unit?.priceMinor], [cardOf(2).id, 2_000]);
      }
    },
  );

  task('an owner invites a clerk', { person: () => owner, before: '5' }, async (hand) => {
    await hand.go(hand.link('/members'));
    await hand.go(hand.link('/members/invite'));
    await hand.type('email', 'new@clerk.example');
    await hand.go(hand.submit('/members/invite'));
    assert.equal(mailsTo('new@clerk.example').length, 1);
  });

  task('a developer registers an app', { person: () => owner, before: '5' }, async (hand) => {
    const { page } = hand.person;
    await hand.go(hand.link('/apps'));
    await hand.go(hand.link('/apps/new'));
    await hand.type('name', 'Price board');
    await hand.type('redirectUris', 'https://board.example/callback');
    await hand.tap(hand.person.field('scopes.inventory:read'));
    await hand.go(hand.submit('/apps/new'));
    assert.equal(await page.locator('.once code').count(), 2);
  });
});
