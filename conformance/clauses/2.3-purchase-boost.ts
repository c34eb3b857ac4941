import type { Context } from '../context.ts';
import { type ConformanceTest, testFactory } from '../definition.ts';
import { expect, expectBody, expectKnown, expectSame, NotRun } from '../expect.ts';
import { boostList, type PurchaseBoost } from '../resources.ts';

const test = testFactory('2.3');

async function allBoosts(context: Context): Promise<readonly PurchaseBoost[]> {
  const app = await context.sharedConnection();
  const response = await app.get('/purchase-boosts', { include: 'filled' });
  return expectBody(response, 200, boostList).boosts;
}

export const tests: readonly ConformanceTest[] = [
  test(
    'fields',
    'a boost has every required field with the right type and within its bounds',
    async (context) => {
      const boosts = await allBoosts(context);
      expectSame('the number of boosts', boosts.length, context.shop.boosts.openAndFilled.length);
    },
  ),

  test(
    'card-target',
    'a boost for a card has card and grade; a null grade means any grade',
    async (context) => {
      const targets = (await allBoosts(context)).flatMap(({ target }) =>
        target.kind === 'card' ? [target] : [],
      );
      expect(targets.length > 0, 'a boost whose target.kind is "card"', targets);
      expect(
        targets.some(({ grade }) => grade === null),
        'a boost of any grade (grade null)',
        targets,
      );
      expect(
        targets.every(({ card }) => card.id !== undefined && card.name !== undefined),
        'each target.card to have id and name',
        targets,
      );
    },
  ),

  test(
    'product-target',
    'a boost for a product has target.product with a productKind',
    async (context) => {
      const targets = (await allBoosts(context)).flatMap(({ target }) =>
        target.kind === 'product' ? [target] : [],
      );
      expect(targets.length > 0, 'a boost whose target is a product', targets);
      expect(
        targets.every(
          ({ product }) => product.id !== undefined && product.productKind !== undefined,
        ),
        'each target.product to have id and productKind',
        targets,
      );
    },
  ),

  test('grade', 'a grade has serviceKind third_party or internal', async (context) => {
    const kinds = new Set(
      (await allBoosts(context)).flatMap(({ target }) =>
        target.kind === 'card' && target.grade !== null ? [target.grade.serviceKind] : [],
      ),
    );
    expect(kinds.size > 0, 'a boost of a card in a grade', [...kinds]);
    expect(!kinds.has(undefined), 'every grade to have a serviceKind', [...kinds]);
  }),

  test('remaining', 'remainingQuantity is 0 or more, or null for no limit', async (context) => {
    const boosts = await allBoosts(context);
    expect(
      boosts.some(({ remainingQuantity }) => remainingQuantity === null),
      'a boost without limit (null)',
      boosts.length,
    );
    for (const { status, remainingQuantity } of boosts) {
      expectSame(
        `whether a boost with ${remainingQuantity} left is filled`,
        status === 'filled',
        remainingQuantity === 0,
      );
    }
  }),

  test('times', 'startsAt and endsAt are times, or null when not set', async (context) => {
    const boosts = await allBoosts(context);
    const nowMs = await context.nowMs();
    expect(
      boosts.some(({ startsAt, endsAt }) => startsAt === null && endsAt === null),
      'a boost without times',
      boosts.length,
    );
    for (const { startsAt, endsAt } of boosts) {
      expect(
        startsAt === null || Date.parse(startsAt) <= nowMs,
        'startsAt of a listed boost to be in the past',
        startsAt,
      );
      expect(
        endsAt === null || Date.parse(endsAt) > nowMs,
        'endsAt of a listed boost to be in the future',
        endsAt,
      );
    }
  }),

  test('note', 'note has up to 200 characters, or is null', async (context) => {
    const notes = (await allBoosts(context)).map(({ note }) => note);
    expect(notes.includes(null), 'a boost without a note (null)', notes.length);
    // The test `fields` checks the upper bound, and the test `values` checks that notes are not
    // cut.
    expect(
      notes.some((note) => note !== null && note !== ''),
      'a boost with a note',
      notes.length,
    );
  }),

  test(
    'values',
    'price, currency, quantity, times, note, card, product and grade have the boost’s values',
    async (context) => {
      const known = new Map(context.shop.boosts.values.map((boost) => [boost.id, boost]));
      if (known.size === 0) throw new NotRun('the target has no boosts.values');
      for (const { target, ...shown } of (await allBoosts(context)).filter(({ id }) =>
        known.has(id),
      )) {
        const boost = known.get(shown.id);
        const { id, priceMinor, currency, remainingQuantity, note } = shown;
        const itself = { id, priceMinor, currency, remainingQuantity, note };
        expectKnown('the boost', itself, boost);
        expectSame(
          'startsAt and endsAt',
          [instantOf(shown.startsAt), instantOf(shown.endsAt)],
          [instantOf(boost?.startsAt ?? null), instantOf(boost?.endsAt ?? null)],
        );
        expectKnown('card', 'card' in target ? target.card : null, boost?.card);
        expectKnown('grade', 'grade' in target ? target.grade : null, boost?.grade);
        expectKnown('product', 'product' in target ? target.product : null, boost?.product);
      }
    },
  ),

  test(
    'closes',
    'a boost opens at startsAt, and closes exactly at endsAt',
    async (context) => {
      const { opensLater } = context.shop.boosts;
      if (opensLater === null) throw new NotRun('the target has no boosts.opensLater');
      const isListed = async (): Promise<boolean> =>
        (await allBoosts(context)).some(({ id }) => id === opensLater.id);
      for (const [at, before, after] of [
        [opensLater.startsAt, false, true],
        [opensLater.endsAt, true, false],
      ] as const) {
        const leftSeconds = Math.floor((Date.parse(at) - (await context.nowMs())) / 1_000);
        if (leftSeconds < MARGIN_SECONDS) {
          throw new NotRun(`the target's clock is already past ${at}`);
        }
        await context.advance(leftSeconds - MARGIN_SECONDS);
        expectSame(`whether the boost is listed before ${at}`, await isListed(), before);
        await context.advance(MARGIN_SECONDS + 1);
        expectSame(`whether the boost is listed after ${at}`, await isListed(), after);
      }
    },
    { movesClock: true },
  ),

  test('currency', 'currency is an ISO 4217 code', async (context) => {
    const known = new Set(Intl.supportedValuesOf('currency'));
    for (const { currency } of await allBoosts(context)) {
      expect(known.has(currency), 'an ISO 4217 code', currency);
    }
  }),
];

/** Time for a test's requests on a slow target. */
const MARGIN_SECONDS = 60;

/** Parses a time, so that equal times in different formats compare as equal. */
function instantOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}
