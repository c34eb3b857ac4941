import type { BoostChange } from '../boosts/put-boost.ts';
import type { Purchase } from '../boosts/purchase.ts';
import type { Card } from '../catalog/card.ts';
import type { BoostProduct } from '../catalog/product.ts';
import type { Priced } from './cards.ts';
import { seededRandom, demoId } from './seeded-random.ts';

/** The number of open boosts for cards, enough to fill a price board. */
const OPEN_CARDS = 24;
/** The price of a boost, in percent of the card's minimum price. */
const BOOST_PERCENT = 130;
const DAY_MS = 86_400_000;

/** A boost, with an optional action after its creation. */
export interface DemoBoost {
  readonly id: string;
  readonly change: BoostChange;
  readonly followUp: 'pause' | 'end' | Purchase | null;
}

/**
 * Returns at least one boost with each status. Open boosts are for any grade, one grade or a
 * product, with and without a limit; one has a start and an end. `now` is the time of creation.
 */
export function makeBoosts(
  cards: readonly Priced<Card>[],
  products: readonly Priced<BoostProduct>[],
  now: Date,
): readonly DemoBoost[] {
  // The demo buys the most expensive cards, as shops do.
  const byPrice = cards.toSorted((a, b) => b.yen - a.yen || (a.of.id < b.of.id ? -1 : 1));
  const target = (index: number): Priced<Card> => {
    const card = byPrice[index];
    if (card === undefined) throw new Error('the demo catalog has too few cards');
    return card;
  };
  const inDays = (days: number): Date => new Date(now.getTime() + days * DAY_MS);
  const open = Array.from({ length: OPEN_CARDS }, (_, index) => openBoost(target(index), index));
  const boxes = products.map((product, index) => productBoost(product, index));
  const special = (name: string, index: number, more: BoostChange): DemoBoost => {
    const { change } = openBoost(target(OPEN_CARDS + index), OPEN_CARDS + index);
    return { id: demoId(`boost ${name}`), change: { ...change, ...more }, followUp: null };
  };
  const bought = { id: demoId('purchase 1'), quantity: 4 };
  return [
    ...open,
    ...boxes,
    special('of this month', 0, {
      startsAt: inDays(-7),
      endsAt: inDays(30),
      note: '今月いっぱいの強化買取です',
    }),
    { ...special('filled', 1, { remainingQuantity: 4 }), followUp: bought },
    special('scheduled', 2, { startsAt: inDays(14), note: '次弾の発売日から' }),
    { ...special('paused', 3, { remainingQuantity: 8 }), followUp: 'pause' },
    special('expired', 4, { startsAt: inDays(-21), endsAt: inDays(-7) }),
    { ...special('ended', 5, { note: '受付を終了しました' }), followUp: 'end' },
  ];
}

function openBoost({ of, yen }: Priced<Card>, index: number): DemoBoost {
  const random = seededRandom(`boost ${index}`);
  const grade = random.pick([null, null, 'rank S', 'rank A', 'grade KGS 10']);
  const gradeId = grade === null ? null : demoId(grade);
  const factor = grade === 'grade KGS 10' ? 4 : 1;
  return {
    id: demoId(`boost ${index}`),
    change: {
      target: { kind: 'card', cardId: of.id, gradeId },
      priceMinor:
        (Math.round((yen * BOOST_PERCENT) / 100 / 100) + random.integerBelow(9)) * 100 * factor,
      remainingQuantity: random.pick([null, 2, 4, 10, 20]),
      note: random.pick([null, null, '状態Aから対象です', 'まとめてのお持ち込み歓迎']),
    },
    followUp: null,
  };
}

function productBoost({ of, yen }: Priced<BoostProduct>, index: number): DemoBoost {
  const isBox = of.productKind === 'box';
  return {
    id: demoId(`boost product ${index}`),
    change: {
      target: { kind: 'product', productId: of.id },
      priceMinor: Math.round((yen * BOOST_PERCENT) / 100 / 10) * 10,
      remainingQuantity: isBox ? 30 : null,
      note: isBox ? 'シュリンク付きに限ります' : null,
    },
    followUp: null,
  };
}
