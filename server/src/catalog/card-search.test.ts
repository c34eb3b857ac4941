import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { importCards, newCard, TEST_GAME } from '../../test/catalog.ts';
import { type SearchNode, startSearchNode, waitUntilFound } from '../../test/search-node.ts';
import { openTestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { announce } from '../database/channel.ts';
import { statement } from '../database/statement.ts';
import { lockCatalogExclusive } from './catalog-lock.ts';
import { selectActiveCards } from './read-entries.ts';
import { selectCatalogHead, selectSearchablePage } from './search-source.ts';

/** Returns the index events of a node as texts. */
function told({ news }: SearchNode): string[] {
  return news.map((each) => {
    if (each.kind === 'lost') return each.kind;
    assert.ok(each.seconds >= 0);
    return `${each.kind} ${each.cards}`;
  });
}

export const insertManyCards = statement(
  'test_insert_many_cards',
  `with made as (
    insert into card (card_id, game_id, name, localized_names, language_code, is_active, updated_at)
    select gen_random_uuid(), $1, '星屑の騎士 第' || n || '章', '{}', 'ja', true, now()
      from generate_series(1, $2::int) as n
    returning card_id
  )
  insert into catalog_change (entry_kind, entry_id, position)
  select 'card', card_id, nextval('catalog_position') from made`,
);
export const deactivateUnseen = statement(
  'test_deactivate_unseen',
  `update card set is_active = false where card_id = any($1::uuid[])`,
);
export const deleteTestCatalogChanges = statement(
  'test_delete_catalog_changes',
  `delete from catalog_change`,
);
export const renameCardUnrecorded = statement(
  'test_rename_card',
  `update card set name = $2 where card_id = $1`,
);

describe('searching the catalog (4.8)', () => {
  it('the search needs no thread while there is no card, and starts one for the first card', async () => {
    await using base = await openTestDatabase();
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    assert.deepEqual(await node.ids('竜'), []);
    assert.equal(node.workers.length, 0);
    assert.deepEqual(node.news, []);
    const card = newCard('蒼天竜アルバ');
    await importCards(base.db, [card]);
    await node.search.whenCurrent();
    assert.deepEqual(await node.ids('蒼天竜'), [card.id]);
    assert.equal(node.workers.length, 1);
    assert.deepEqual(told(node), ['built 1']);
    assert.deepEqual(node.faults, []);
  });

  it('the search is unavailable until the first index is built, then finds the existing cards', async () => {
    await using base = await openTestDatabase();
    const cards = [newCard('蒼天竜アルバ'), newCard('紅蓮虎')];
    await importCards(base.db, cards);
    await using node = await startSearchNode(base);
    assert.equal(node.search.isReady, false);
    assert.equal(await node.ids('蒼天竜'), 'unavailable');
    await node.search.whenReady();
    assert.deepEqual(await node.ids('蒼天竜'), [cards[0]?.id]);
    assert.deepEqual(await node.ids(' '), []);
  });

  it('an index is built from several pages of cards', async () => {
    await using base = await openTestDatabase();
    const cards = Array.from({ length: 2_300 }, (_, n) => newCard(`星屑の竜 第${n}章`));
    await importCards(base.db, cards);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    assert.equal(node.search.state.cards, 2_300);
    assert.deepEqual(await node.ids('星屑の竜 第2299章'), [cards[2_299]?.id]);
  });

  it('the search follows imports on other nodes, and hides inactive cards', async (t) => {
    await using base = await openTestDatabase();
    const [renamed, left, kept] = [newCard('紅蓮虎'), newCard('紅蓮鳥'), newCard('紅蓮亀')];
    await importCards(base.db, [renamed, left, kept]);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    assert.equal((await node.ids('紅蓮')).length, 3);
    const startedAtMs = performance.now();
    await importCards(base.db, [
      { ...renamed, name: '白銀虎' },
      { ...left, isActive: false },
    ]);
    assert.ok(!(await node.ids('紅蓮鳥')).includes(left.id));
    await waitUntilFound(node, '白銀', [renamed]);
    t.diagnostic(`found after ${Math.round(performance.now() - startedAtMs)} ms`);
    await waitUntilFound(node, '紅蓮', [kept]);
    await importCards(base.db, [left]);
    await waitUntilFound(node, '紅蓮', [kept, left]);
  });

  it('a card is found by JAN and id as soon as it is written, without the index', async () => {
    await using base = await openTestDatabase();
    const first = newCard('蒼天竜アルバ', { janCode: '4901234567894' });
    await importCards(base.db, [first]);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    const twin = newCard('蒼天竜', { janCode: '4901234567894' });
    const american = newCard('Albatross', { janCode: '012345678905' });
    const asEan = newCard('Alba the Great', { janCode: '0012345678905' });
    await importCards(base.db, [twin, american, asEan]);
    assert.deepEqual(await node.ids('4901234567894'), [twin.id, first.id]);
    assert.deepEqual(await node.ids('4901234567894', 1), [twin.id]);
    assert.deepEqual(await node.ids('４９０１２３４５６７８９４'), [twin.id, first.id]);
    assert.deepEqual(await node.ids('012345678905'), [american.id, asEan.id]);
    assert.deepEqual(await node.ids('0012345678905'), [american.id, asEan.id]);
    assert.deepEqual(await node.ids(twin.id), [twin.id]);
    assert.deepEqual(await node.ids(twin.id.toUpperCase()), [twin.id]);
    await importCards(base.db, [{ ...twin, isActive: false }]);
    assert.deepEqual(await node.ids('4901234567894'), [first.id]);
    assert.deepEqual(await node.ids(twin.id), []);
    assert.deepEqual(await node.ids('4901234567895'), []);
  });

  it('a page is filled even if the best hits have just become inactive', async () => {
    await using base = await openTestDatabase();
    const cards = Array.from({ length: 120 }, (_, n) => newCard(`竜${n}`));
    await importCards(base.db, cards);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    const page = await node.ids('竜');
    assert.equal(page.length, 25);
    const gone = cards.filter(({ id }) => page.includes(id));
    await importCards(
      base.db,
      gone.map((card) => ({ ...card, isActive: false })),
    );
    const next = await node.ids('竜');
    assert.equal(next.length, 25);
    assert.ok(gone.every(({ id }) => !next.includes(id)));
  });

  it('a card is shown once even if the index changes between two steps of a search', async () => {
    await using base = await openTestDatabase();
    const cards = Array.from({ length: 120 }, (_, n) => newCard(`竜${n + 100}`));
    await importCards(base.db, cards);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    // This change is not announced to the index, so the search has to request more candidates.
    const gone = cards.slice(0, 30).map(({ id }) => id);
    await base.db.query(deactivateUnseen, [gone]);
    const query = node.db.query.bind(node.db);
    let reads = 0;
    node.db.query = async (asked, values) => {
      const rows = await query(asked, values);
      if (asked.name === selectActiveCards.name && ++reads === 2) {
        await importCards(base.db, [newCard('竜')]);
        await node.search.whenCurrent();
      }
      return rows;
    };
    const page = await node.ids('竜');
    assert.ok(reads > 2, 'it was asked for more');
    assert.deepEqual([page.length, new Set(page).size], [25, 25]);
  });

  it('the search starts another thread when its thread has ended, and is unavailable until that thread is ready', async () => {
    await using base = await openTestDatabase();
    const card = newCard('蒼天竜アルバ');
    await importCards(base.db, [card]);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    await node.workers[0]?.terminate();
    assert.equal(await node.ids('蒼天竜'), 'unavailable');
    await waitUntilFound(node, '蒼天竜', [card]);
    assert.equal(node.workers.length, 2);
    assert.equal(node.search.state.failures, 1);
    assert.equal(node.faults.length, 1);
    assert.deepEqual(told(node), ['built 1', 'lost', 'rebuilt 1']);
  });

  it('the search is unavailable if the first index cannot be built', async () => {
    await using base = await openTestDatabase();
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    let isHeld = true;
    const hold = (worker: Worker): void => {
      if (isHeld) void worker.terminate();
    };
    process.on('worker', hold);
    try {
      const card = newCard('蒼天竜アルバ');
      await importCards(base.db, [card]);
      await waitUntil(async () => (await node.ids('蒼天竜')) === 'unavailable');
      isHeld = false;
      await waitUntilFound(node, '蒼天竜', [card]);
    } finally {
      process.off('worker', hold);
    }
  });

  it('only one index is built if a poll begins before the build and ends after it', async () => {
    await using base = await openTestDatabase();
    await importCards(base.db, [newCard('蒼天竜アルバ')]);
    await using node = await startSearchNode(base);
    const one = node.db.one.bind(node.db);
    const polled = Promise.withResolvers<void>();
    node.db.one = async (asked, values) => {
      // The build waits here until a poll has begun. That poll ends after the build.
      if (asked.name === selectSearchablePage.name) {
        await announce(base.db, 'catalog', '');
        await polled.promise;
      }
      const row = await one(asked, values);
      if (asked.name === selectCatalogHead.name && values?.[0] === null) {
        if (node.workers.length === 1) {
          polled.resolve();
          await waitUntil(() => node.search.state.builds === 1);
        }
      }
      return row;
    };
    await node.search.whenReady();
    const later = newCard('紅蓮虎');
    await importCards(base.db, [later]);
    await waitUntilFound(node, '紅蓮虎', [later]);
    assert.equal(node.workers.length, 1);
    assert.equal(node.search.state.builds, 1);
  });

  it('running searches fail when the thread ends, and no caller keeps waiting', async () => {
    await using base = await openTestDatabase();
    await importCards(base.db, [newCard('蒼天竜アルバ')]);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    const asked = Array.from({ length: 50 }, async () => await node.ids('蒼天竜'));
    void node.workers[0]?.terminate();
    for (const ids of await Promise.all(asked)) {
      assert.ok(ids === 'unavailable' || ids.length === 1);
    }
  });

  it('searches of a shop are refused when too many are waiting', async () => {
    await using base = await openTestDatabase();
    await importCards(base.db, [newCard('蒼天竜アルバ')]);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    const answers = await Promise.all(
      Array.from({ length: 1_100 }, async () => await node.ids('蒼天竜')),
    );
    const turnedAway = answers.filter((ids) => ids === 'unavailable').length;
    assert.equal(turnedAway, 99, 'one search runs and 1,000 of a shop wait');
    assert.equal((await node.ids('蒼天竜')).length, 1);
  });

  it('the index is rebuilt after many changes, without a gap in service', async (t) => {
    await using base = await openTestDatabase();
    const card = newCard('蒼天竜アルバ');
    await importCards(base.db, [card]);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    await base.db.transaction(async (tx) => {
      await lockCatalogExclusive(tx);
      await tx.query(insertManyCards, [TEST_GAME.id, 10_001]);
      await announce(tx, 'catalog', '');
    });
    let searches = 0;
    await waitUntil(async () => {
      searches += 1;
      assert.deepEqual(await node.ids('蒼天竜'), [card.id]);
      return node.search.state.builds === 2;
    });
    t.diagnostic(`${searches} searches meanwhile`);
    assert.equal(node.search.state.cards, 10_002);
    assert.equal(node.search.state.changedCards, 0);
    assert.deepEqual(told(node), ['built 1', 'rebuilt 10002']);
    assert.equal((await node.ids('星屑の騎士 第10001章')).length, 1);
    // The replaced thread ends after it has answered its pending searches.
    const [former, present] = node.workers;
    await waitUntil(() => former?.threadId === -1);
    assert.notEqual(present?.threadId, -1);
    assert.deepEqual(node.faults, []);
  });

  it('the index is rebuilt when the database goes back to an earlier state', async () => {
    await using base = await openTestDatabase();
    const card = newCard('蒼天竜アルバ');
    await importCards(base.db, [card]);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    await importCards(base.db, [newCard('紅蓮虎')]);
    await waitUntil(() => node.search.state.changedCards === 1);
    await base.db.transaction(async (tx) => {
      await tx.query(deleteTestCatalogChanges);
      await tx.query(renameCardUnrecorded, [card.id, '白銀竜']);
    });
    await waitUntilFound(node, '白銀竜', [card]);
    assert.ok(node.search.state.builds >= 2);
    assert.deepEqual(node.faults, []);
  });

  it('the index is rebuilt when new changes replace lost ones', async () => {
    await using base = await openTestDatabase();
    const card = newCard('蒼天竜アルバ');
    await importCards(base.db, [card, newCard('紅蓮虎')]);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    await base.db.transaction(async (tx) => {
      await tx.query(deleteTestCatalogChanges);
      await tx.query(renameCardUnrecorded, [card.id, '白銀竜']);
    });
    // The new positions are higher than the node's last position, but the change at that position
    // was lost.
    await importCards(base.db, [newCard('黒曜鳥')]);
    await waitUntilFound(node, '白銀竜', [card]);
    assert.ok(node.search.state.builds >= 2);
  });

  it('the search ends its threads when it is closed, even during a build', async () => {
    await using base = await openTestDatabase();
    await importCards(
      base.db,
      Array.from({ length: 1_500 }, (_, n) => newCard(`竜${n}`)),
    );
    const node = await startSearchNode(base);
    await waitUntil(() => node.workers.length === 1);
    const ended = new Promise((resolve) => node.workers[0]?.once('exit', resolve));
    await node[Symbol.asyncDispose]();
    await ended;
    assert.equal(await node.ids('竜'), 'unavailable');
    assert.deepEqual(node.faults, []);
  });
});
