import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectError, expectSame } from '../expect.ts';
import { boostList } from '../resources.ts';

const test = testFactory('4.4');

export const tests: readonly ConformanceTest[] = [
  test('default', 'include defaults to open', async (context) => {
    const app = await context.sharedConnection();
    const { boosts } = expectBody(await app.get('/purchase-boosts'), 200, boostList);
    const openList = expectBody(
      await app.get('/purchase-boosts', { include: 'open' }),
      200,
      boostList,
    );
    expectSame('the list with include=open', openList.boosts, boosts);
    expect(boosts.length > 0, 'an open boost', boosts);
  }),

  test(
    'include-invalid',
    'an include other than open and filled gets 400 invalid_request',
    async (context) => {
      const app = await context.sharedConnection();
      for (const include of ['', 'all', 'OPEN', 'paused', 'open,filled', 'open filled']) {
        expectError(await app.get('/purchase-boosts', { include }), 400, 'invalid_request');
      }
    },
  ),

  test('order', 'the highest boosted price comes first', async (context) => {
    const app = await context.sharedConnection();
    for (const include of ['open', 'filled']) {
      const { boosts } = expectBody(await app.get('/purchase-boosts', { include }), 200, boostList);
      const prices = boosts.map(({ priceMinor }) => priceMinor);
      expectSame(
        'the prices',
        prices,
        prices.toSorted((a, b) => b - a),
      );
    }
  }),

  test('generated-at', 'generatedAt is the time when the list was made', async (context) => {
    const app = await context.sharedConnection();
    const { generatedAt } = expectBody(await app.get('/purchase-boosts'), 200, boostList);
    const apartMs = Math.abs(Date.parse(generatedAt) - (await context.nowMs()));
    expect(
      apartMs < GENERATED_APART_MS,
      'generatedAt to be within a minute of the current time',
      generatedAt,
    );
  }),

  test(
    'permission',
    'if the approving member lacks purchases.read, a request for the list gets 403 forbidden',
    async (context) => {
      const app = await context.connected({ member: context.clerk });
      expectError(await app.get('/purchase-boosts'), 403, 'forbidden');
    },
  ),

  test('content', 'the list has exactly the open boosts of the token’s shop', async (context) => {
    for (const shop of context.target.shops) {
      const app = await context.sharedConnection({ shop });
      const { boosts } = expectBody(await app.get('/purchase-boosts'), 200, boostList);
      const ids = boosts.map(({ id }) => id);
      expectSame(`the open boosts of ${shop.slug}`, ids.toSorted(), shop.boosts.open.toSorted());
    }
  }),
];

/** The maximum difference between the clocks, plus the maximum age of a cached list. */
const GENERATED_APART_MS = 60_000;
