import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openStockConsole } from '../../../test/stock-console.ts';
import { importCards, newCard } from '../../../test/catalog.ts';
import { assertSays } from '../../../test/console-pages.ts';
import type { VisitedPage } from '../../../test/plain-browser.ts';
import { openTestDatabase } from '../../../test/test-database.ts';
import { newId } from '../../base/secrets.ts';
import { stockListMessages } from './messages/list.ts';

describe('a search of stock within one card', () => {
  it('a search within a card finds only units of that card, and none if the text matches another card', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const mine = await desk.makeUnit();
    const other = await desk.makeUnit({ item: { kind: 'card', cardId: desk.otherCardId } });
    const shown = async (path: string): Promise<readonly boolean[]> => {
      const { status, text } = await desk.owner.visit(path);
      assert.equal(status, 200);
      return [text.includes(mine), text.includes(other)];
    };
    const [alba, guard] = ['Alba', '月の番人'].map(encodeURIComponent);
    assert.deepEqual(await shown(`/stock?q=${guard}`), [false, true]);
    assert.deepEqual(await shown(`/stock?card=${desk.cardId}`), [true, false]);
    assert.deepEqual(await shown(`/stock?card=${desk.cardId}&q=${alba}`), [true, false]);
    assert.deepEqual(await shown(`/stock?card=${desk.cardId}&q=${guard}`), [false, false]);
    assert.deepEqual(await shown(`/stock?product=${desk.cardId}&q=${alba}`), [false, false]);
  });
});

describe('a search of stock by number', () => {
  it('a search by number shows units with exactly that number first, then units of cards with that number', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const card = newCard('氷原の守り神', { cardNumber: '079/100' });
    await importCards(base.db, [card]);
    await desk.service.search.whenCurrent();
    const item = { kind: 'card', cardId: card.id } as const;
    const available = await desk.makeUnit({ item });
    const soldSerial = await desk.makeUnit({ serialNumber: '079/100', status: 'sold' });
    const serial = await desk.makeUnit({ item, serialNumber: '079/100' });
    const reserved = await desk.makeUnit({ item, status: 'reserved' });
    const sold = await desk.makeUnit({ item, status: 'sold' });
    await desk.makeUnit();
    const search = async (query: string): Promise<VisitedPage> =>
      await desk.owner.visit(`/stock?${query}`);
    const page = await search('q=079%2F100');
    assert.deepEqual(unitsOf(page), [serial, soldSerial, available, reserved, sold]);
    assertSays(page, stockListMessages.en.found.exact(2));
    assert.deepEqual(countsOf(page), ['5', '2', '1', '2']);
    const fullWidth = await search(`q=${encodeURIComponent('０７９／１００')}`);
    assert.deepEqual(unitsOf(fullWidth), unitsOf(page));
    assert.deepEqual(unitsOf(await search('q=079%2F100&status=sold')), [soldSerial, sold]);
    assert.deepEqual(unitsOf(await search('q=079%2F100&before=4')), [reserved, sold]);
    const live = await search('q=079%2F100&live=1');
    assert.deepEqual(unitsOf(live), unitsOf(page));
    assert.doesNotMatch(live.text, /<html|<form class="filters"/);
  });

  it('a search opens the only unit with a number, except while a person types or if a card matches too', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const id = await desk.makeUnit({ certNumber: 'PSA 44' });
    const other = await desk.makeUnit({ certNumber: '044' });
    const item = { kind: 'card', cardId: desk.otherCardId } as const;
    const numbered = await desk.makeUnit({ item });
    const opened = await desk.owner.visit('/stock?q=PSA+44');
    assert.ok(opened.url.endsWith(`/stock/${id}`), opened.url);
    assert.deepEqual(unitsOf(await desk.owner.visit('/stock?q=PSA+44&live=1')), [id]);
    assert.deepEqual(unitsOf(await desk.owner.visit('/stock?q=044')), [other, numbered]);
  });

  it('the list shows units that are in stock or reserved, unless a search text or a status is given', async () => {
    await using base = await openTestDatabase();
    await using desk = await openStockConsole(base);
    const sold = await desk.makeUnit({ status: 'sold' });
    const reserved = await desk.makeUnit({ status: 'reserved' });
    const grading = await desk.makeUnit({ status: 'grading' });
    const unit = await desk.makeUnit();
    const page = await desk.owner.visit('/stock');
    assert.deepEqual(unitsOf(page), [unit, reserved]);
    assert.deepEqual(countsOf(page), ['2', '4', '1', '1', '1', '1']);
    const all = await desk.owner.visit('/stock?status=all');
    assert.deepEqual(unitsOf(all), [unit, grading, reserved, sold]);
    const ofCard = await desk.owner.visit(`/stock?card=${desk.cardId}`);
    assert.deepEqual(unitsOf(ofCard), [unit, reserved, grading, sold]);
    assert.deepEqual(countsOf(ofCard), ['4', '1', '1', '1', '1']);
    const inLocation = await desk.owner.visit(`/stock?location=${desk.locationId}`);
    assert.deepEqual(countsOf(inLocation), countsOf(page));
    const graded = await desk.owner.visit(`/stock?grade=${newId()}`);
    assert.deepEqual(countsOf(graded), ['0', '0']);
  });
});

/** Returns the ids of the units on a page, in order. */
function unitsOf({ text }: VisitedPage): string[] {
  return [...text.matchAll(/class="unit-name"\s+href="[^"]*\/stock\/([^"]+)"/g)].map(
    ([, id = '']) => id,
  );
}

/** Returns the counts on the tabs of a page, in order. */
function countsOf({ text }: VisitedPage): string[] {
  return [...text.matchAll(/<span class="number">([^<]*)<\/span><\/a\s*>/g)].map(
    ([, count = '']) => count,
  );
}
