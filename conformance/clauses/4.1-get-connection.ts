import { type ConformanceTest, testFactory } from '../definition.ts';
import { expectBody, expectError } from '../expect.ts';
import { connection } from '../resources.ts';

const test = testFactory('4.1');

export const tests: readonly ConformanceTest[] = [
  test('answer', 'GET /connection returns 200 with the Connection', async (context) => {
    const app = await context.sharedConnection();
    expectBody(await app.get('/connection'), 200, connection);
  }),

  test('invalid-token', 'an invalid token gets 401 invalid_token', async (context) => {
    expectError(
      await context.unknownCaller('no-token-of-anybody').get('/connection'),
      401,
      'invalid_token',
    );
  }),
];
