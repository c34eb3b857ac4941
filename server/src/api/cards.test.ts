import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { cardsOf, importCards, newCard } from '../../test/catalog.ts';
import {
  type PartnerNode,
  seedConnectedToken,
  startPartnerNode,
  type TestResponse,
} from '../../test/partner.ts';
import { exchangeRaw, type RawResponse, readResponses } from '../../test/raw-socket.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';
import { newId } from '../base/secrets.ts';

/** Every field of spec 2.2, in the order given there. */
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

describe('GET /cards (4.8) and GET /cards/{id} (4.9)', () => {
  let base: TestDatabase;
  let node: PartnerNode;
  let token: string;
  before(async () => {
    base = await openTestDatabase();
    await importCards(base.db, [FULL, PLAIN, LEFT]);
    node = await startPartnerNode(base);
    token = await seedConnectedToken(base, node);
    await node.search.whenReady();
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  async function search(text: string, more = ''): Promise<TestResponse> {
    return await node.call('GET', `/cards?search=${encodeURIComponent(text)}${more}`, { token });
  }

  /** Sends the query unchanged: `fetch` would encode it. */
  async function searchRaw(query: string): Promise<RawResponse> {
    const head = `GET /partner/v1/cards${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
    const bytes = Buffer.from(`${head}Authorization: Bearer ${token}\r\n\r\n`);
    const [response] = readResponses(await exchangeRaw(node.port, bytes));
    assert.ok(response, 'no answer');
    return response;
  }

  it('a card has every field in the order of 2.2, and null where the catalog has no value', async () => {
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

  it('all searches of a burst of 300 are answered (decision 0008)', async () => {
    const answers = await Promise.all(
      Array.from({ length: 300 }, async () => await search('紅蓮')),
    );
    const statuses = new Set(answers.map(({ status }) => status));
    assert.deepEqual([...statuses], [200]);
  });

  it('a search finds part of a name in any language', async () => {
    for (const text of ['蒼天竜', 'dragon of the sky']) {
      assert.deepEqual(cardsOf(await search(text)), [FULL], text);
    }
  });

  it('an inactive card is returned by id with every field', async () => {
    const answer = await node.call('GET', `/cards/${LEFT.id}`, { token });
    assert.equal(answer.status, 200);
    const { isActive, ...card } = LEFT;
    assert.equal(isActive, false);
    assert.equal(answer.text, JSON.stringify(card));
  });

  it('HEAD is answered without a body', async () => {
    const head = await node.call('HEAD', `/cards/${FULL.id}`, { token });
    assert.equal(head.status, 200);
    assert.equal(head.text, '');
  });

  it('an id that is not a UUID in the usual form gets 404', async () => {
    const ids = [`{${FULL.id}}`, FULL.id.slice(1), '%00', '%E7%AB%9C', '%20'];
    for (const id of [...ids, FULL.id.replaceAll('-', '')]) {
      const answer = await node.call('GET', `/cards/${id}`, { token });
      assert.equal(answer.status, 404, id);
      assert.equal(answer.text, '{"error":"not_found"}');
    }
  });

  it('a leading space and each code point of a joined emoji count towards the 150 characters of a search', async () => {
    for (const text of [` ${'a'.repeat(149)}`, '👨‍👩‍👧'.repeat(30)]) {
      assert.equal((await search(text)).status, 200, `${[...text].length}`);
    }
    for (const text of [` ${'a'.repeat(150)}`, 'a'.repeat(301)]) {
      const answer = await search(text);
      assert.equal(answer.status, 400, `${[...text].length}`);
      assert.equal(answer.text, '{"error":"invalid_request"}');
    }
  });

  it('a search of line ends, Unicode spaces or the maximum number of spaces finds nothing', async () => {
    for (const text of ['\t\r\n', ' '.repeat(150), '\u00a0\u2003']) {
      assert.deepEqual(cardsOf(await search(text)), [], JSON.stringify(text));
    }
  });

  it('the parameter search is required exactly once, in exactly this spelling', async () => {
    for (const query of ['?', '?search', '?Search=a', '?search[]=a', '?q=a', '?search=a&search=']) {
      const response = await searchRaw(query);
      assert.equal(response.status, 400, query);
      assert.equal(response.body, '{"error":"invalid_request"}', query);
    }
    const more = '&cursor=x&page=2&search[]=b&__proto__=1&Limit=0';
    assert.deepEqual(cardsOf(await search('紅蓮虎', more)), [PLAIN]);
  });

  it('a limit must be a plain decimal number', async () => {
    for (const limit of ['2', '9', '10']) {
      assert.equal((await search('紅蓮虎', `&limit=${limit}`)).status, 200, limit);
    }
    const bad = ['+5', '%2B5', '05', '5.0', '٥', '５', '99999999999999999999', 'null', '%00'];
    for (const limit of bad) {
      const answer = await search('紅蓮虎', `&limit=${limit}`);
      assert.equal(answer.status, 400, limit);
      assert.equal(answer.text, '{"error":"invalid_request"}');
    }
  });

  it('the query is read as form-encoded: plus and %20 are spaces, escapes are UTF-8', async () => {
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
    // RFC 3986 §2: a URI is ASCII. Node's parser refuses the request before routing.
    assert.equal((await searchRaw('?search=紅蓮虎')).status, 400);
  });

  it('a query that is not percent-encoded UTF-8 is refused, in any parameter', async () => {
    // One of these is 検索 in Shift_JIS, as old forms send it.
    const encodings = ['%', '%zz', '%4', '%FF', '%ED%A0%80', '%C0%80', '%F4%90%80%80', '%E7%B4'];
    for (const text of [...encodings, '%8C%9F%8D%F5', '%E7'.repeat(5_000)]) {
      for (const query of [`?search=${text}`, `?search=x&utm=${text}`, `?search=x&${text}=1`]) {
        const response = await searchRaw(query);
        assert.deepEqual([response.status, response.body], [400, '{"error":"invalid_request"}']);
      }
    }
    assert.equal((await searchRaw('?search=x&utm=%25zz')).status, 200);
  });

  it('a search for meaningless bytes finds nothing and does not fail', async () => {
    for (const text of [
      '%00',
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
    assert.equal((await searchRaw(`?search=${'a'.repeat(15_000)}`)).status, 400);
    assert.equal((await searchRaw(`?search=${'a'.repeat(20_000)}`)).status, 431);
  });
});
