import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { ManualClock } from '../base/clock.ts';
import { newId } from '../base/secrets.ts';
import { readCards } from '../catalog/read-entries.ts';
import {
  type BoostNode,
  type BuyersCatalog,
  seedBuyer,
  seedBuyersCatalog,
  startBoostNode,
} from '../../test/boost-node.ts';
import { TEST_NOW } from '../../test/partner.ts';
import { openTestDatabase, type TestDatabase } from '../../test/test-database.ts';

describe('GET /purchase-boosts (4.4, 5.5)', () => {
  const clock = new ManualClock(TEST_NOW);
  let base: TestDatabase;
  let node: BoostNode;
  let catalog: BuyersCatalog;
  before(async () => {
    base = await openTestDatabase();
    node = await startBoostNode(base, clock);
    catalog = await seedBuyersCatalog(base.db);
  });
  after(async () => {
    await node[Symbol.asyncDispose]();
    await base.close();
  });

  it('the list has exactly the fields of 2.3 in their order, and the time at which it was made', async () => {
    const { cardId, productId, gradeId } = catalog;
    const buyer = await seedBuyer(node);
    const [cardBoostId, boxBoostId] = [newId(), newId()];
    const game = await gameOf(node, cardId);
    await node.write(buyer, 'PUT', `/boosts/${cardBoostId}`, {
      target: { kind: 'card', cardId, gradeId },
      priceMinor: 12_000,
      remainingQuantity: 3,
      startsAt: '2026-06-01T20:59:59.999+09:00',
      endsAt: '2026-06-02T00:00:00+09:00',
      note: '高価買取中！',
    });
    const box = { target: { kind: 'product', productId }, priceMinor: 9, currency: 'USD' };
    await node.write(buyer, 'PUT', `/boosts/${boxBoostId}`, box);
    clock.advance(5);
    const now = TEST_NOW.toISOString();
    const expected = {
      boosts: [
        {
          id: cardBoostId,
          target: {
            kind: 'card',
            card: {
              id: cardId,
              name: '蒼天竜アルバ',
              localizedNames: { en: 'Alba' },
              cardNumber: '001',
              setTotalRaw: null,
              languageCode: 'ja',
              imageUrl: null,
              rarity: null,
              set: null,
              game,
            },
            grade: {
              id: gradeId,
              code: '10',
              label: 'Gem 10',
              serviceCode: 'kgs',
              serviceName: 'Kumo Grading',
              serviceKind: 'third_party',
            },
          },
          priceMinor: 12_000,
          currency: 'JPY',
          remainingQuantity: 3,
          status: 'open',
          startsAt: '2026-06-01T11:59:59.999Z',
          endsAt: '2026-06-01T15:00:00.000Z',
          note: '高価買取中！',
          updatedAt: now,
        },
        {
          id: boxBoostId,
          target: {
            kind: 'product',
            product: {
              id: productId,
              name: '星降るBOX',
              productKind: 'box',
              janCode: '2900000000018',
              languageCode: 'ja',
              imageUrl: null,
              game,
            },
          },
          priceMinor: 9,
          currency: 'USD',
          remainingQuantity: null,
          status: 'open',
          startsAt: null,
          endsAt: null,
          note: null,
          updatedAt: now,
        },
      ],
      generatedAt: '2026-06-01T12:00:00.005Z',
    };
    assert.equal((await node.read(buyer)).text, JSON.stringify(expected));
    // A late notification of the writes above may remove the cached list earlier.
    for (const ms of [994, 5, 1]) {
      clock.advance(ms);
      const list: { generatedAt: string } = JSON.parse((await node.read(buyer)).text);
      const ageMs = clock.now().getTime() - Date.parse(list.generatedAt);
      assert.ok(ageMs >= 0 && ageMs < 1_000, `${ageMs} ms`);
      assert.deepEqual(list, { ...expected, generatedAt: list.generatedAt });
    }
  });

  it('the list may be empty, unknown parameters are ignored, and two values and a NUL byte are refused (400)', async () => {
    const buyer = await seedBuyer(node);
    const empty = `{"boosts":[],"generatedAt":"${clock.now().toISOString()}"}`;
    for (const query of [
      '',
      '?',
      '?include=open',
      '?include=filled',
      '?limit=0&limit=x&Include=x',
    ]) {
      assert.deepEqual(await node.read(buyer, query), { status: 200, text: empty }, query);
    }
    for (const query of ['?include=open&include=filled', '?include=%00']) {
      const refused = { status: 400, text: '{"error":"invalid_request"}' };
      assert.deepEqual(await node.read(buyer, query), refused, query);
    }
  });

  it('the list contains only the boosts of the connected shop', async () => {
    const { cardId } = catalog;
    const [one, other] = [await seedBuyer(node), await seedBuyer(node)];
    const id = newId();
    const body = { target: { kind: 'card', cardId }, priceMinor: 1 };
    await node.write(one, 'PUT', `/boosts/${id}`, body);
    assert.deepEqual(await node.list(other), []);
    assert.equal((await node.write(other, 'PUT', `/boosts/${id}`, body)).status, 201);
    await node.write(other, 'POST', `/boosts/${id}/end`);
    assert.deepEqual(
      (await node.list(one)).map((boost) => boost.id),
      [id],
    );
    assert.deepEqual(await node.list(other), []);
  });
});

async function gameOf(node: BoostNode, cardId: string): Promise<unknown> {
  return (await readCards(node.db, [cardId])).get(cardId)?.game;
}
