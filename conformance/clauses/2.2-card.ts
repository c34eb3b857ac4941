import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expectBody, expectKnown, expectSame, NotRun } from '../expect.ts';
import { card, cardList } from '../resources.ts';

const test = testFactory('2.2');

/** Runs a search with more than 25 matches. Returns the number of cards in the response. */
async function countFoundCards(context: Context): Promise<number> {
  const app = await context.sharedConnection();
  const { commonSearch } = context.target.catalog;
  if (commonSearch === null) throw new NotRun('the target has no catalog.commonSearch');
  const { cards } = expectBody(await app.get('/cards', { search: commonSearch }), 200, cardList);
  return cards.length;
}

export const tests: readonly ConformanceTest[] = [
  test('fields-of-one', 'the fields of a card have the specified types', async (context) => {
    const app = await context.sharedConnection();
    expectBody(await app.get(`/cards/${context.target.catalog.card.id}`), 200, card);
  }),

  test(
    'fields-of-many',
    'the fields of every card in a search have the specified types',
    async (context) => {
      expectSame('the number of cards', await countFoundCards(context), 25);
    },
  ),

  test('values', 'each field of a card has the catalog’s value', async (context) => {
    const app = await context.sharedConnection();
    const known = context.target.catalog.card;
    const shown = expectBody(await app.get(`/cards/${known.id}`), 200, card);
    expectKnown('the card', shown, known);
  }),

  test(
    'same-everywhere',
    'a search shows a card with the same fields as GET /cards/{id}',
    async (context) => {
      const app = await context.sharedConnection();
      const { id } = context.target.catalog.card;
      const one = expectBody(await app.get(`/cards/${id}`), 200, card);
      const found = expectBody(await app.get('/cards', { search: id }), 200, cardList);
      expectSame('the number of cards that the id finds', found.cards.length, 1);
      expectKnown('the card that the id finds', found.cards[0], one);
    },
  ),
];
