import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectSame, NotRun } from '../expect.ts';
import { boostList } from '../resources.ts';

const test = testFactory('D9');

export const tests: readonly ConformanceTest[] = [
  test(
    'order',
    'boosts with equal prices are sorted by the newest updatedAt, then by id',
    async (context) => {
      const app = await context.sharedConnection();
      const response = await app.get('/purchase-boosts', { include: 'filled' });
      const { boosts } = expectBody(response, 200, boostList);
      const prices = boosts.map(({ priceMinor }) => priceMinor);
      if (new Set(prices).size === prices.length) {
        throw new NotRun('no two boosts have the same price');
      }
      const sorted = boosts.toSorted(
        (a, b) =>
          b.priceMinor - a.priceMinor ||
          Date.parse(b.updatedAt) - Date.parse(a.updatedAt) ||
          (a.id < b.id ? -1 : 1),
      );
      expectSame(
        'the order',
        boosts.map(({ id }) => id),
        sorted.map(({ id }) => id),
      );
    },
  ),

  test(
    'updated-at',
    'updatedAt of a boost changes when the boost changes, and only then',
    async (context) => {
      const app = await context.sharedConnection();
      const list = async (): Promise<ReadonlyMap<string, string>> => {
        const { boosts } = expectBody(await app.get('/purchase-boosts'), 200, boostList);
        return new Map(boosts.map(({ id, updatedAt }) => [id, updatedAt]));
      };
      const before = await list();
      const id = context.shop.boosts.open[0] ?? '';
      await context.control.moveBoost(context.shop.id, id, 'filled');
      await context.control.moveBoost(context.shop.id, id, 'open');
      const after = await list();
      const moved = Date.parse(after.get(id) ?? '') > Date.parse(before.get(id) ?? '');
      expect(moved, 'a later updatedAt', [before.get(id), after.get(id)]);
      const others = [...before].filter(([each]) => each !== id);
      expectSame(
        'updatedAt of the others',
        others.map(([each]) => after.get(each)),
        others.map(([, at]) => at),
      );
    },
  ),
];
