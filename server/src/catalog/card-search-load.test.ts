import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importCards, newCard } from '../../test/catalog.ts';
import { startSearchNode, waitUntilFound } from '../../test/search-node.ts';
import { openTestDatabase } from '../../test/test-database.ts';

describe('searching the catalog under load (4.8)', () => {
  it('searches of 8 clients are answered while 5,000 cards change on another node, and all changed cards are found', async (t) => {
    await using base = await openTestDatabase();
    const cards = Array.from({ length: 5_000 }, (_, n) => newCard(`星屑の竜 第${n}章`));
    await importCards(base.db, cards);
    await using node = await startSearchNode(base);
    await node.search.whenReady();
    let isImporting = true;
    let slowestMs = 0;
    let searches = 0;
    const client = async (_: unknown, number: number): Promise<void> => {
      for (let at = number; isImporting; at = (at + 8) % cards.length) {
        const startedAtMs = performance.now();
        const ids = await node.ids(`第${at}章`);
        slowestMs = Math.max(slowestMs, performance.now() - startedAtMs);
        searches += 1;
        assert.ok(ids.includes(cards[at]?.id ?? ''), `第${at}章`);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    const changed = cards.map((card, n) => ({ ...card, name: `白銀の虎 第${n}章` }));
    await importCards(base.db, changed);
    const importedAtMs = performance.now();
    await waitUntilFound(node, '白銀の虎 第4999章', changed.slice(-1));
    const visibleMs = Math.round(performance.now() - importedAtMs);
    await node.search.whenCurrent();
    isImporting = false;
    await Promise.all(clients);
    t.diagnostic(
      `${searches} searches, slowest ${Math.round(slowestMs)} ms, visible ${visibleMs} ms after the import`,
    );
    for (const n of [0, 2_500, 4_998]) {
      assert.deepEqual(await node.ids(`白銀の虎 第${n}章`, 1), [cards[n]?.id]);
    }
    assert.deepEqual(node.faults, []);
  });
});
