// Proves that search results are current on every node (decision 0090): another node finds each
// changed card even while a large import runs, and no search fails. It prints the times, of which
// docs/operating.md promises 2 s. With PROVE_FULL, the import is so large that it builds new base
// indexes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importCards, newCard } from '../test/catalog.ts';
import { type PartnerNode, seedGrant, seedParty, startPartnerNode } from '../test/partner.ts';
import { openTestDatabase } from '../test/test-database.ts';

const CARDS = 15_000;
const IMPORTED = process.env['PROVE_FULL'] === '1' ? 200_000 : 30_000;
/** The wait after which a card counts as never found. */
const FOUND_MS_MAX = 60_000;

async function search(node: PartnerNode, token: string, text: string): Promise<string> {
  const path = `/cards?limit=1&search=${encodeURIComponent(text)}`;
  const { status, text: body } = await node.call('GET', path, { token });
  assert.equal(status, 200, body);
  return body;
}

describe('a card that changes while an import runs', () => {
  it('each card that changes during an import is found on another node while the import runs', async (t) => {
    await using base = await openTestDatabase();
    const cards = Array.from({ length: CARDS }, (_, n) => newCard(`星屑の騎士 第${n}章`));
    await importCards(base.db, cards);
    await using node = await startPartnerNode(base);
    const { token } = await seedGrant(base.db, await seedParty(base.db));
    await node.call('POST', '/connection', { token });
    await node.search.whenReady();
    const more = Array.from({ length: IMPORTED }, (_, n) => newCard(`月影の魔女 第${n}章`));
    const done = new AbortController();
    const importing = importCards(base.db, more).finally(() => done.abort());
    const waits: number[] = [];
    let searches = 0;
    for (let n = 0; !done.signal.aborted; n++) {
      const card = { ...(cards[n] ?? newCard('')), name: `探針${n}号` };
      await importCards(base.db, [card]);
      const committedAtMs = performance.now();
      while (!(await search(node, token, card.name)).includes(card.id)) {
        assert.ok(performance.now() - committedAtMs < FOUND_MS_MAX, `${card.name} is never found`);
        searches += 1;
      }
      waits.push(performance.now() - committedAtMs);
    }
    await importing;
    const worst = Math.max(...waits);
    const { builds, changedCards } = node.search.state;
    t.diagnostic(
      `${waits.length} changes found, the slowest after ${worst.toFixed(0)} ms; ${searches} searches before, ` +
        `${builds} builds, ${changedCards} cards in layers`,
    );
    // If changes were found only after the import, this would be the one that waited for its end.
    assert.ok(waits.length > 1, 'no change was found while the import ran');
  });
});
