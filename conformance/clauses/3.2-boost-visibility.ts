import type { Caller } from '../caller.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectSame } from '../expect.ts';
import { boostList, type PurchaseBoost } from '../resources.ts';

const test = testFactory('3.2');

async function listed(app: Caller, include: 'open' | 'filled'): Promise<readonly PurchaseBoost[]> {
  return expectBody(await app.get('/purchase-boosts', { include }), 200, boostList).boosts;
}

function idsOf(boosts: readonly PurchaseBoost[]): readonly string[] {
  return boosts.map(({ id }) => id).toSorted();
}

/** Returns the id of a boost that a control may change, which must have a limited quantity. */
async function idOfChangeableBoost(app: Caller): Promise<string> {
  const boosts = await listed(app, 'open');
  const found = boosts.find(({ remainingQuantity }) => remainingQuantity !== null);
  expect(found !== undefined, 'an open boost with a limit', boosts.length);
  return found.id;
}

export const tests: readonly ConformanceTest[] = [
  test('open', 'an open boost is listed as open', async (context) => {
    const boosts = await listed(await context.sharedConnection(), 'open');
    expectSame('the open boosts', idsOf(boosts), context.shop.boosts.open.toSorted());
    expect(
      boosts.every(({ status }) => status === 'open'),
      'every boost to have the status open',
      boosts,
    );
  }),

  test(
    'filled',
    'a boost with nothing left is listed as filled, and only with include=filled',
    async (context) => {
      const app = await context.sharedConnection();
      const { open, openAndFilled } = context.shop.boosts;
      const filled = (await listed(app, 'filled')).filter(({ status }) => status === 'filled');
      expectSame(
        'the filled boosts',
        idsOf(filled),
        openAndFilled.filter((id) => !open.includes(id)).toSorted(),
      );
      expect(
        filled.every(({ remainingQuantity }) => remainingQuantity === 0),
        'every filled boost to have remainingQuantity 0',
        filled,
      );
      const open_ = await listed(app, 'open');
      expect(
        open_.every(({ status }) => status !== 'filled'),
        'no filled boost without include=filled',
        open_,
      );
    },
  ),

  test('include-filled', 'include=filled also lists open boosts', async (context) => {
    const boosts = await listed(await context.sharedConnection(), 'filled');
    expectSame('the list', idsOf(boosts), context.shop.boosts.openAndFilled.toSorted());
  }),

  ...(['scheduled', 'paused', 'ended', 'expired'] as const).map((condition) =>
    test(`never-${condition}`, `a boost that is ${condition} is never listed`, async (context) => {
      const app = await context.sharedConnection();
      const hidden = context.shop.boosts.hidden[condition] ?? [];
      expect(hidden.length > 0, `a seeded boost that is ${condition}`, hidden);
      for (const include of ['open', 'filled'] as const) {
        const seen = idsOf(await listed(app, include)).filter((id) => hidden.includes(id));
        expectSame(`the ${condition} boosts that include=${include} shows`, seen, []);
      }
    }),
  ),

  test(
    'moves',
    'the list shows immediately that a boost was filled, paused or reopened',
    async (context) => {
      const app = await context.sharedConnection();
      const id = await idOfChangeableBoost(app);
      const isListed = async (include: 'open' | 'filled'): Promise<boolean> =>
        idsOf(await listed(app, include)).includes(id);
      try {
        await context.control.moveBoost(context.shop.id, id, 'filled');
        expectSame('whether include=open lists a filled boost', await isListed('open'), false);
        expectSame('whether include=filled lists a filled boost', await isListed('filled'), true);
        await context.control.moveBoost(context.shop.id, id, 'paused');
        expectSame(
          'whether include=filled lists a paused boost with nothing left',
          await isListed('filled'),
          false,
        );
      } finally {
        await context.control.moveBoost(context.shop.id, id, 'open');
      }
      expectSame('whether a reopened boost is listed', await isListed('open'), true);
    },
  ),
];
