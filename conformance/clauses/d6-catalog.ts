import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectError, expectSame, expectStatus, NotRun } from '../expect.ts';
import { boostList, card, cardList, changePageOf, connection, siteList } from '../resources.ts';

const test = testFactory('D6');

export const tests: readonly ConformanceTest[] = [
  test(
    'invalid-request',
    'a search or limit outside its bounds gets 400 invalid_request, and so does a limit with characters other than digits',
    async (context) => {
      const app = await context.sharedConnection();
      const search = context.target.catalog.card.name;
      for (const query of [
        {},
        { search: '' },
        { search: 'a'.repeat(151) },
        ...[0, 26, -1, '', 'x', '1.5', '1e1', '0x5', ' 5', '5 '].map((limit) => ({
          search,
          limit,
        })),
      ]) {
        expectError(await app.get('/cards', query), 400, 'invalid_request');
      }
    },
  ),

  test('blank', 'a search of only white space gets 200 with no cards', async (context) => {
    const app = await context.sharedConnection();
    for (const search of [' ', '　', ' \t ']) {
      expectSame(
        'the cards',
        expectBody(await app.get('/cards', { search }), 200, cardList).cards,
        [],
      );
    }
  }),

  test(
    'code-points',
    'the length of search is its number of code points, including spaces',
    async (context) => {
      const app = await context.sharedConnection();
      expectStatus(await app.get('/cards', { search: '😀'.repeat(150) }), 200);
      expectError(await app.get('/cards', { search: '😀'.repeat(151) }), 400, 'invalid_request');
      expectError(
        await app.get('/cards', { search: `a${' '.repeat(150)}` }),
        400,
        'invalid_request',
      );
    },
  ),

  test('inactive-by-id', 'GET /cards/{id} returns an inactive card', async (context) => {
    const { inactiveCard } = context.target.catalog;
    if (inactiveCard === null) throw new NotRun('the target has no catalog.inactiveCard');
    const app = await context.sharedConnection();
    const { id, name } = expectBody(await app.get(`/cards/${inactiveCard.id}`), 200, card);
    expectSame('the card', [id, name], [inactiveCard.id, inactiveCard.name]);
  }),

  test('no-uuid', 'an id in the path that is not a uuid gets 404 not_found', async (context) => {
    const app = await context.sharedConnection();
    for (const id of ['x', '1', `${context.target.catalog.card.id}0`]) {
      expectError(await app.get(`/cards/${id}`), 404, 'not_found');
    }
  }),

  test('repeated', 'a repeated parameter gets 400 invalid_request', async (context) => {
    const app = await context.sharedConnection();
    const { name } = context.target.catalog.card;
    const both = [name, name];
    expectError(await app.get('/cards', { search: both }), 400, 'invalid_request');
    expectError(
      await app.get('/cards', { search: name, limit: ['5', '5'] }),
      400,
      'invalid_request',
    );
    expectError(
      await app.get('/purchase-boosts', { include: ['open', 'open'] }),
      400,
      'invalid_request',
    );
    expectError(await app.get('/inventory/changes', { limit: ['5', '5'] }), 400, 'invalid_request');
  }),

  test('unknown-names', 'unknown query parameters are ignored everywhere', async (context) => {
    const app = await context.sharedConnection();
    const more = { color: 'red' };
    const { name, id } = context.target.catalog.card;
    const { cards } = expectBody(await app.get('/cards', { search: name, ...more }), 200, cardList);
    expect(
      cards.some((each) => each.id === id),
      `the card ${id}`,
      cards.length,
    );
    expectBody(await app.get(`/cards/${id}`, more), 200, card);
    expectBody(await app.get('/connection', more), 200, connection);
    expectBody(await app.get('/purchase-boosts', more), 200, boostList);
    expectBody(await app.get('/inventory/sites', more), 200, siteList);
    expectBody(
      await app.get('/inventory/changes', more),
      200,
      changePageOf(context.target.names.changesMember),
    );
  }),
];
