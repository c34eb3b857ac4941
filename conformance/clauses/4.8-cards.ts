import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectRefusal, expectSame, expectStatus, NotRun } from '../expect.ts';
import { cardList } from '../resources.ts';
import type { Query } from '../caller.ts';

const test = testFactory('4.8');

async function found(context: Context, query: Query): Promise<readonly (string | undefined)[]> {
  const app = await context.sharedConnection();
  const { cards } = expectBody(await app.get('/cards', query), 200, cardList);
  return cards.map(({ id }) => id);
}

function commonSearch(context: Context): string {
  const { commonSearch: search } = context.target.catalog;
  if (search === null) throw new NotRun('the target has no catalog.commonSearch');
  return search;
}

export const tests: readonly ConformanceTest[] = [
  ...(['name', 'cardNumber', 'janCode', 'id'] as const).map((field) =>
    test(`by-${field}`, `a search for the ${field} of a card finds it`, async (context) => {
      const { card } = context.target.catalog;
      const search = card[field];
      if (search === null) throw new NotRun(`the target's catalog.card has no ${field}`);
      const ids = await found(context, { search });
      expect(ids.includes(card.id), `the card with ${field} "${search}"`, ids);
    }),
  ),

  test('only-active', 'an inactive card is not found by any search', async (context) => {
    const { inactiveCard } = context.target.catalog;
    if (inactiveCard === null) throw new NotRun('the target has no catalog.inactiveCard');
    for (const field of ['name', 'cardNumber', 'janCode', 'id'] as const) {
      const search = inactiveCard[field];
      if (search === null) continue;
      const ids = await found(context, { search });
      expect(!ids.includes(inactiveCard.id), `no inactive card by ${field}`, ids);
    }
  }),

  test('nothing', 'a search without matches gets 200 with no cards', async (context) => {
    expectSame('the cards', await found(context, { search: 'zqxjkvbwpfm 該当なし' }), []);
  }),

  test('search-required', 'a request without search is refused', async (context) => {
    const app = await context.sharedConnection();
    expectRefusal(await app.get('/cards'));
    expectRefusal(await app.get('/cards', { limit: 5 }));
  }),

  test('search-length', 'search has 1 to 150 characters', async (context) => {
    const app = await context.sharedConnection();
    expectStatus(await app.get('/cards', { search: 'a' }), 200);
    expectStatus(await app.get('/cards', { search: 'a'.repeat(150) }), 200);
    expectRefusal(await app.get('/cards', { search: '' }));
    expectRefusal(await app.get('/cards', { search: 'a'.repeat(151) }));
  }),

  test(
    'search-characters',
    'the length of search is counted in characters, not in bytes',
    async (context) => {
      const app = await context.sharedConnection();
      expectStatus(await app.get('/cards', { search: '竜'.repeat(150) }), 200);
      expectRefusal(await app.get('/cards', { search: '竜'.repeat(151) }));
    },
  ),

  test('limit-bounds', 'limit is 1 to 25', async (context) => {
    const app = await context.sharedConnection();
    const search = context.target.catalog.card.name;
    for (const limit of [1, 25]) expectStatus(await app.get('/cards', { search, limit }), 200);
    for (const limit of [0, 26, -1]) expectRefusal(await app.get('/cards', { search, limit }));
  }),

  test('limit-integer', 'limit is an integer', async (context) => {
    const app = await context.sharedConnection();
    const search = context.target.catalog.card.name;
    for (const limit of ['x', '1.5']) expectRefusal(await app.get('/cards', { search, limit }));
  }),

  test('limit-holds', 'at most limit cards are returned, 25 by default', async (context) => {
    const search = commonSearch(context);
    expectSame('the number of cards without limit', (await found(context, { search })).length, 25);
    for (const limit of [1, 7, 24, 25]) {
      const ids = await found(context, { search, limit });
      expectSame(`the number of cards with limit ${limit}`, ids.length, limit);
      expectSame('the number of different cards', new Set(ids).size, limit);
    }
  }),
];
