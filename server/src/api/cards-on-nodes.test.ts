import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { cardsOf, type CatalogCard, importCards, newCard, TEST_GAME } from '../../test/catalog.ts';
import {
  type PartnerNode,
  seedConnectedToken,
  startPartnerNode,
  type TestResponse,
} from '../../test/partner.ts';
import { startTestService } from '../../test/service.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { newId } from '../base/secrets.ts';
import type { Card } from '../catalog/card.ts';

describe('GET /cards on several nodes', () => {
  const set = { id: newId(), code: 'SKY1', name: '空の章', nameEn: null };
  const first = newCard('蒼天竜アルバ', { set, rarity: { code: 'SR', name: 'スーパーレア' } });
  const known = newCard('白銀鷲ハルト');
  let base: TestDatabase;
  let a: PartnerNode;
  let b: PartnerNode;
  let token: string;
  before(async () => {
    base = await openTestDatabase();
    await importCards(base.db, [first, known]);
    [a, b] = [await startPartnerNode(base), await startPartnerNode(base)];
    token = await seedConnectedToken(base, a);
    await Promise.all([a.search.whenReady(), b.search.whenReady()]);
  });
  after(async () => {
    await a[Symbol.asyncDispose]();
    await b[Symbol.asyncDispose]();
    await base.close();
  });

  it('another node finds an imported change, and both nodes hide a removed card immediately', async (t) => {
    const search = async (node: PartnerNode, text: string): Promise<readonly Card[]> =>
      cardsOf(await node.call('GET', `/cards?search=${encodeURIComponent(text)}`, { token }));
    const expect = async (text: string, cards: readonly CatalogCard[]): Promise<void> => {
      const startedAtMs = performance.now();
      for (const node of [b, a]) {
        await waitUntil(async () => {
          const found = await search(node, text);
          return found.map(({ id }) => id).join() === cards.map(({ id }) => id).join();
        });
      }
      t.diagnostic(`${text}: both nodes after ${Math.round(performance.now() - startedAtMs)} ms`);
    };

    const fresh = newCard('紅蓮虎');
    await importCards(a.db, [fresh]);
    await expect('紅蓮虎', [fresh]);
    const renamed = {
      ...first,
      name: '黒曜竜ガルム',
      set: { ...set, name: '夜の章' },
      rarity: { code: 'UR', name: 'ウルトラレア' },
    };
    await importCards(a.db, [renamed]);
    await expect('黒曜竜', [renamed]);
    await expect('黒曜竜 夜の章', [renamed]);
    await expect('黒曜竜 UR', [renamed]);
    await expect('蒼天竜', []);

    await importCards(a.db, [{ ...fresh, isActive: false }]);
    assert.deepEqual(await search(a, '紅蓮虎'), []);
    assert.deepEqual(await search(b, '紅蓮虎'), []);
    assert.deepEqual(await search(b, fresh.id), []);
    assert.equal((await b.call('GET', `/cards/${fresh.id}`, { token })).status, 200);
    await importCards(a.db, [fresh]);
    await expect('紅蓮虎', [fresh]);

    // Cards cannot be found by the name of their game, but they show its new name immediately.
    const game = { ...TEST_GAME, name: '空のかけら 第二版' };
    await importCards(a.db, [{ ...fresh, game }]);
    assert.equal((await search(b, '黒曜竜'))[0]?.game.name, game.name);
  });

  it('every known card is found without errors while thousands of cards are imported', async (t) => {
    const cards = Array.from({ length: 3_000 }, (_, n) => newCard(`星屑の騎士 第${n}章`));
    let isDone = false;
    const importing = importCards(a.db, cards).finally(() => {
      isDone = true;
    });
    let searches = 0;
    let slowestMs = 0;
    const path = `/cards?search=${encodeURIComponent('白銀鷲')}`;
    while (!isDone) {
      const startedAtMs = performance.now();
      const found = cardsOf(await b.call('GET', path, { token }));
      slowestMs = Math.max(slowestMs, performance.now() - startedAtMs);
      assert.deepEqual(
        found.map(({ id }) => id),
        [known.id],
      );
      searches += 1;
    }
    await importing;
    const startedAtMs = performance.now();
    const last = `/cards?search=${encodeURIComponent('星屑の騎士 第2999章')}`;
    await waitUntil(async () => {
      const [best] = cardsOf(await b.call('GET', last, { token }));
      return best?.id === cards[2_999]?.id;
    });
    t.diagnostic(
      `${searches} searches, the slowest ${Math.round(slowestMs)} ms; the last card after ${Math.round(performance.now() - startedAtMs)} ms`,
    );
  });
});

describe('many searches of greedy apps', () => {
  it('the search of another shop does not wait for the searches that were sent before it', async () => {
    await using base = await openTestDatabase();
    const card = newCard('蒼天竜アルバ');
    await importCards(base.db, [card]);
    await using node = await startPartnerNode(base);
    const greedy = await Promise.all(
      [1, 2, 3].map(async () => await seedConnectedToken(base, node)),
    );
    const other = await seedConnectedToken(base, node);
    await node.search.whenReady();
    const search = async (token: string, text: string): Promise<TestResponse> =>
      await node.call('GET', `/cards?search=${encodeURIComponent(text)}`, { token });
    const statuses: number[] = [];
    const flood = greedy.flatMap((token) =>
      Array.from({ length: 200 }, async () => {
        statuses.push((await search(token, 'アルバ')).status);
      }),
    );
    await waitUntil(() => statuses.length >= 10);
    for (let n = 0; n < 5; n++) assert.deepEqual(cardsOf(await search(other, '蒼天竜')), [card]);
    const answered = statuses.length;
    await Promise.all(flood);
    assert.ok(answered < 300, `${answered} of 600 searches came first`);
    assert.deepEqual(new Set(statuses), new Set([200]));
  });
});

describe('a service without a search index', () => {
  it('a service without a search index is not ready and answers only GET /cards with 503', async () => {
    await using base = await openTestDatabase();
    const card = newCard('蒼天竜アルバ');
    await importCards(base.db, [card]);
    let isHeld = true;
    const hold = (worker: Worker): void => {
      if (isHeld) void worker.terminate();
    };
    process.on('worker', hold);
    try {
      await using service = await startTestService(base, { environment: { METRICS_PORT: '0' } });
      await using node = await startPartnerNode(base);
      const token = await seedConnectedToken(base, node);
      const path = `/cards?search=${encodeURIComponent('蒼天竜')}`;
      const ready = await fetch(`${service.url}/readyz`);
      assert.equal(ready.status, 503);
      assert.equal(
        await ready.text(),
        '{"error":"temporarily_unavailable","reason":"the search index is being built"}',
      );
      const refused = await node.call('GET', path, { token });
      assert.equal(refused.status, 503);
      assert.equal(refused.text, '{"error":"temporarily_unavailable"}');
      assert.equal(refused.headers.get('retry-after'), '2');
      assert.equal((await node.call('GET', '/connection', { token })).status, 200);
      assert.equal((await node.call('GET', `/cards/${card.id}`, { token })).status, 200);
      assert.equal((await node.call('GET', '/cards?search=', { token })).status, 400);
      isHeld = false;
      await service.search.whenReady();
      await node.search.whenReady();
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      assert.deepEqual(cardsOf(await node.call('GET', path, { token })), [card]);
      assert.equal(
        (await service.search.find('蒼天竜', 25, { path: ['shop', 'app'] })).kind,
        'found',
      );
      const metrics = await (await fetch(service.metricsUrl ?? '')).text();
      assert.match(metrics, /^cardport_card_search_index_cards 1$/m);
      assert.match(metrics, /^cardport_card_search_changed_cards 0$/m);
      assert.match(metrics, /^cardport_card_search_lag_seconds \d/m);
      assert.match(metrics, /^cardport_card_search_index_builds_total 1$/m);
      assert.match(metrics, /^cardport_card_search_index_failures_total [1-9]/m);
      assert.match(metrics, /^cardport_card_search_duration_seconds_count 1$/m);
    } finally {
      process.off('worker', hold);
    }
  });
});
