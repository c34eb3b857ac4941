import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { type CatalogCard, importCards, newCard, TEST_GAME } from '../../test/catalog.ts';
import { onEachEngine, type TestDatabase } from '../../test/engines.ts';
import {
  type PartnerNode,
  seedGrant,
  seedParty,
  startPartnerNode,
  type TestAnswer,
} from '../../test/partner.ts';
import { exchangeRaw, type RawResponse, readResponses } from '../../test/raw-socket.ts';
import { startTestService } from '../../test/service.ts';
import { waitUntil } from '../../test/wait-until.ts';
import { newId } from '../base/secrets.ts';
import type { Card } from '../catalog/card.ts';

async function connect(base: TestDatabase, node: PartnerNode): Promise<string> {
  const { token } = await seedGrant(base.db, await seedParty(base.db));
  const answer = await node.call('POST', '/connection', { token });
  assert.equal(answer.status, 201);
  return token;
}

function cardsOf(answer: TestAnswer): readonly Card[] {
  assert.equal(answer.status, 200, answer.text);
  const body: { readonly cards: readonly Card[] } = JSON.parse(answer.text);
  assert.deepEqual(Object.keys(body), ['cards']);
  return body.cards;
}

/** Every field of specification 2.2, in its order. */
const FULL = newCard('蒼天竜アルバ', {
  localizedNames: { en: 'Alba, Dragon of the Sky', 'ja-Latn': 'Sōtenryū Aruba' },
  cardNumber: 'SV-001',
  setTotalRaw: '165',
  janCode: '4901234567894',
  variant: 'alt-art',
  finish: 'holo',
  imageUrl: 'https://images.example/alba.png',
  rarity: { code: 'SR', name: 'スーパーレア' },
  set: { id: newId(), code: 'SKY1', name: '空の章', nameEn: 'Chapter of the Sky' },
});
const PLAIN = newCard('紅蓮虎');
const LEFT = newCard('白銀の亀', { isActive: false, janCode: '4909876543214' });

onEachEngine('GET /cards (4.8) and GET /cards/{id} (4.9)', (open) => {
  let base: TestDatabase;
  let node: PartnerNode;
  let token: string;
  before(async () => {
    base = await open();
    await importCards(base.db, [FULL, PLAIN, LEFT]);
    node = await startPartnerNode(base);
    token = await connect(base, node);
    await node.search.whenReady();
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  async function search(text: string, more = ''): Promise<TestAnswer> {
    return await node.call('GET', `/cards?search=${encodeURIComponent(text)}${more}`, { token });
  }

  /** Sends the query as these very bytes. */
  async function searchRaw(query: string): Promise<RawResponse> {
    const head = `GET /partner/v1/cards${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const bytes = Buffer.from(`${head}Authorization: Bearer ${token}\r\n\r\n`);
    const [response] = readResponses(await exchangeRaw(node.port, bytes));
    assert.ok(response, 'no answer');
    return response;
  }

  it('answers every field in the order of 2.2, null where the catalog has none', async () => {
    assert.equal((await search('蒼天竜アルバ')).text, JSON.stringify({ cards: [FULL] }));
    assert.deepEqual(cardsOf(await search('紅蓮虎')), [PLAIN]);
    const answer = await node.call('GET', `/cards/${FULL.id}`, { token });
    assert.equal(answer.status, 200);
    assert.equal(answer.text, JSON.stringify(FULL));
    assert.deepEqual(Object.keys(FULL), [
      'id',
      'name',
      'localizedNames',
      'cardNumber',
      'setTotalRaw',
      'janCode',
      'languageCode',
      'variant',
      'finish',
      'imageUrl',
      'rarity',
      'set',
      'game',
    ]);
  });

  it('finds by name in any language, by number, JAN and id', async () => {
    for (const text of ['蒼天竜', 'dragon of the sky', 'SV-001', '4901234567894', FULL.id]) {
      assert.deepEqual(cardsOf(await search(text)), [FULL], text);
    }
  });

  it('lists no inactive card, whatever finds it, and serves it by id', async () => {
    for (const text of [LEFT.name, '4909876543214', LEFT.id]) {
      assert.deepEqual(cardsOf(await search(text)), [], text);
    }
    const answer = await node.call('GET', `/cards/${LEFT.id}`, { token });
    assert.equal(answer.status, 200);
    const { isActive, ...card } = LEFT;
    assert.equal(isActive, false);
    assert.equal(answer.text, JSON.stringify(card));
  });

  it('serves a card by its id in upper case, and to HEAD', async () => {
    const upper = await node.call('GET', `/cards/${FULL.id.toUpperCase()}`, { token });
    assert.equal(upper.text, JSON.stringify(FULL));
    const head = await node.call('HEAD', `/cards/${FULL.id}`, { token });
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
  });

  it('has no card for an id that is unknown or no uuid (404)', async () => {
    const ids = [newId(), 'x', '1', `{${FULL.id}}`, FULL.id.slice(1), '%00', '%E7%AB%9C', '%20'];
    for (const id of [...ids, FULL.id.replaceAll('-', ''), `${FULL.id}0`]) {
      const answer = await node.call('GET', `/cards/${id}`, { token });
      assert.equal(answer.status, 404, id);
      assert.equal(answer.text, '{"error":"not_found"}');
    }
  });

  it('counts 1 to 150 code points of the raw value', async () => {
    for (const text of [
      '竜',
      '竜'.repeat(150),
      '🐉'.repeat(150),
      ` ${'a'.repeat(149)}`,
      '👨‍👩‍👧'.repeat(30),
    ]) {
      assert.equal((await search(text)).status, 200, `${[...text].length}`);
    }
    for (const text of [
      '',
      '竜'.repeat(151),
      '🐉'.repeat(151),
      ` ${'a'.repeat(150)}`,
      'a'.repeat(301),
    ]) {
      const answer = await search(text);
      assert.equal(answer.status, 400, `${[...text].length}`);
      assert.equal(answer.text, '{"error":"invalid_request"}');
    }
  });

  it('finds nothing for a value that is blank after trimming', async () => {
    for (const text of [' ', '\u3000', '\t\r\n', ' '.repeat(150), '\u00a0\u2003']) {
      assert.deepEqual(cardsOf(await search(text)), [], JSON.stringify(text));
    }
  });

  it('refuses a search that is missing or repeated; other names are ignored', async () => {
    for (const query of [
      '',
      '?',
      '?search',
      '?search=',
      '?Search=a',
      '?search[]=a',
      '?q=a',
      '?search=a&search=a',
      '?search=a&search=',
      '?search=a&limit=5&limit=5',
    ]) {
      const response = await searchRaw(query);
      assert.equal(response.status, 400, query);
      assert.equal(response.body, '{"error":"invalid_request"}', query);
    }
    const more = '&cursor=x&page=2&search[]=b&__proto__=1&Limit=0';
    assert.deepEqual(cardsOf(await search('紅蓮虎', more)), [PLAIN]);
  });

  it('takes a limit from 1 to 25 in plain decimal only', async () => {
    for (const limit of ['1', '2', '9', '10', '25']) {
      assert.equal((await search('紅蓮虎', `&limit=${limit}`)).status, 200, limit);
    }
    const bad = [
      '0',
      '26',
      '-1',
      '+5',
      '%2B5',
      '05',
      '0x10',
      '1e1',
      '5.0',
      '',
      '%205',
      '5%20',
      'a',
    ];
    for (const limit of [...bad, '٥', '５', '99999999999999999999', 'null', '%00']) {
      const answer = await search('紅蓮虎', `&limit=${limit}`);
      assert.equal(answer.status, 400, limit);
      assert.equal(answer.text, '{"error":"invalid_request"}');
    }
  });

  it('reads the query as the web writes it: plus and %20 are spaces, escapes are UTF-8', async () => {
    const name = encodeURIComponent('紅蓮虎');
    for (const query of [
      `?search=${name}`,
      `?search=+${name}%20`,
      `?search=%20%20${name}+`,
      `?search=${name.toLowerCase()}`,
      `?limit=25&search=${name}&`,
      `?&&search=${name}&=&&`,
      '?%73earch=%e7%b4%85%e8%93%AE%E8%99%8E',
    ]) {
      const response = await searchRaw(query);
      assert.equal(response.status, 200, query);
      assert.match(response.body, new RegExp(PLAIN.id), query);
    }
    // RFC 3986 §2: an address is ASCII. Node's parser refuses the request before any route is asked.
    assert.equal((await searchRaw('?search=紅蓮虎')).status, 400);
  });

  it('finds nothing, and breaks nothing, where the bytes mean nothing', async () => {
    for (const text of [
      '%',
      '%zz',
      '%FF',
      '%ED%A0%80',
      '%C0%80',
      '%F4%90%80%80',
      '%00',
      '%E7%B4',
      '%25',
      '=',
      '%26',
      "'%20or%201=1",
      '\\',
      '%7B%7D',
      '*',
      '%EF%BF%BD',
      '%F0%9F%90%89',
      '_',
    ]) {
      const response = await searchRaw(`?search=${text}`);
      assert.equal(response.status, 200, text);
      assert.equal(response.body, '{"cards":[]}', text);
    }
    for (const query of [`?search=${'a'.repeat(15_000)}`, `?search=${'%E7'.repeat(5_000)}`]) {
      assert.equal((await searchRaw(query)).status, 400);
    }
    assert.equal((await searchRaw(`?search=${'a'.repeat(20_000)}`)).status, 431);
  });
});

onEachEngine('GET /cards on several nodes', (open) => {
  it('finds a change by import on another node, and what has left disappears at once on both', async (t) => {
    await using base = await open();
    const set = { id: newId(), code: 'SKY1', name: '空の章', nameEn: null };
    const first = newCard('蒼天竜アルバ', { set, rarity: { code: 'SR', name: 'スーパーレア' } });
    await importCards(base.db, [first]);
    await using a = await startPartnerNode(base);
    await using b = await startPartnerNode(base);
    const token = await connect(base, a);
    const search = async (node: PartnerNode, text: string): Promise<readonly Card[]> =>
      cardsOf(await node.call('GET', `/cards?search=${encodeURIComponent(text)}`, { token }));
    await Promise.all([a.search.whenReady(), b.search.whenReady()]);
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

    // A game's new name is no text that a card is found by, but every card shows it at once.
    const game = { ...TEST_GAME, name: '空のかけら 第二版' };
    await importCards(a.db, [{ ...fresh, game }]);
    assert.equal((await search(b, '黒曜竜'))[0]?.game.name, game.name);
  });

  it('answers without error or gap while thousands of cards are imported', async (t) => {
    await using base = await open();
    const known = newCard('蒼天竜アルバ');
    await importCards(base.db, [known]);
    await using a = await startPartnerNode(base);
    await using b = await startPartnerNode(base);
    const token = await connect(base, a);
    await b.search.whenReady();
    const cards = Array.from({ length: 3_000 }, (_, n) => newCard(`星屑の騎士 第${n}章`));
    let isDone = false;
    const importing = importCards(a.db, cards).finally(() => {
      isDone = true;
    });
    let searches = 0;
    let slowestMs = 0;
    const path = `/cards?search=${encodeURIComponent('蒼天竜')}`;
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

onEachEngine('many searches of one app', (open) => {
  it('take turns, so that another app is answered meanwhile', async () => {
    await using base = await open();
    await importCards(base.db, [FULL]);
    await using node = await startPartnerNode(base);
    const [busy, other] = [await connect(base, node), await connect(base, node)];
    await node.search.whenReady();
    const search = async (token: string): Promise<TestAnswer> =>
      await node.call('GET', `/cards?search=${encodeURIComponent('蒼天竜')}`, { token });
    const flood = Array.from({ length: 250 }, async () => (await search(busy)).status);
    assert.deepEqual(cardsOf(await search(other)), [FULL]);
    const statuses = await Promise.all(flood);
    assert.ok(statuses.every((status) => status === 200 || status === 503));
    assert.ok(statuses.filter((status) => status === 200).length >= 220, String(statuses));
  });
});

onEachEngine('a service whose search index is not there', (open) => {
  it('is not ready until it is built, and says so at GET /cards; everything else is served', async () => {
    await using base = await open();
    const card = newCard('蒼天竜アルバ');
    await importCards(base.db, [card]);
    let isHeld = true;
    const hold = (worker: Worker): void => {
      if (isHeld) void worker.terminate();
    };
    process.on('worker', hold);
    try {
      await using service = await startTestService(base);
      await using node = await startPartnerNode(base);
      const token = await connect(base, node);
      const path = `/cards?search=${encodeURIComponent('蒼天竜')}`;
      const ready = await fetch(`${service.url}/readyz`);
      assert.equal(ready.status, 503);
      assert.equal(await ready.text(), '{"error":"temporarily_unavailable"}');
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
    } finally {
      process.off('worker', hold);
    }
  });
});
