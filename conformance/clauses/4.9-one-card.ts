import { randomUUID } from 'node:crypto';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expectBody, expectError, expectSame } from '../expect.ts';
import { card } from '../resources.ts';

const test = testFactory('4.9');

export const tests: readonly ConformanceTest[] = [
  test('one', 'GET /cards/{id} returns the card', async (context) => {
    const app = await context.sharedConnection();
    const known = context.target.catalog.card;
    const { id, name } = expectBody(await app.get(`/cards/${known.id}`), 200, card);
    expectSame('the card', [id, name], [known.id, known.name]);
  }),

  test('upper-case', 'an upper-case uuid finds the same card', async (context) => {
    const app = await context.sharedConnection();
    const known = context.target.catalog.card;
    const { id } = expectBody(await app.get(`/cards/${known.id.toUpperCase()}`), 200, card);
    expectSame('the card', id, known.id);
  }),

  test('unknown', 'an unknown id gets 404 not_found', async (context) => {
    const app = await context.sharedConnection();
    expectError(await app.get(`/cards/${randomUUID()}`), 404, 'not_found');
  }),
];
