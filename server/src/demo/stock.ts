import type { Card } from '../catalog/card.ts';
import type { BoostProduct } from '../catalog/product.ts';
import type { LocationChange } from '../inventory/location.ts';
import type { SiteChange } from '../inventory/site.ts';
import type { UnitChange } from '../inventory/unit.ts';
import type { UnitStatus } from '../inventory/unit-status.ts';
import type { Priced } from './cards.ts';
import { seededRandom, demoId } from './seeded-random.ts';

const UNITS = 2_000;

const store = demoId('site shibuya');
const warehouse = demoId('site depot');

/** The demo shop's two sites. */
export const sites: readonly { readonly id: string; readonly change: SiteChange }[] = [
  { id: store, change: siteOf('shibuya', '渋谷本店', 'store') },
  { id: warehouse, change: siteOf('depot', '川口倉庫', 'warehouse') },
];

function siteOf(code: string, name: string, kind: 'store' | 'warehouse'): SiteChange {
  return { code, name, kind, countryCode: 'JP', timezone: 'Asia/Tokyo' };
}

/** The storage locations of the demo shop. One of them is inactive. */
export const locations: readonly { readonly id: string; readonly change: LocationChange }[] = [
  locationOf(store, 'S-1', 'ショーケース1', 'showcase'),
  locationOf(store, 'S-2', 'ショーケース2', 'showcase'),
  locationOf(store, 'A-1', 'ストレージ棚A', 'shelf'),
  locationOf(store, 'SAFE', '金庫', 'safe'),
  locationOf(warehouse, 'R-1', '保管棚1', 'storage'),
  locationOf(warehouse, 'R-2', '保管棚2', 'storage'),
  {
    id: demoId('location OLD'),
    change: { siteId: store, code: 'OLD', name: '旧レジ横', kind: 'counter', isActive: false },
  },
];

function locationOf(
  siteId: string,
  code: string,
  name: string,
  kind: 'showcase' | 'shelf' | 'storage' | 'safe',
): { readonly id: string; readonly change: LocationChange } {
  return { id: demoId(`location ${code}`), change: { siteId, code, name, kind } };
}

/** A condition rank defined by the shop. `percent` is the share of the full price. */
interface Rank {
  readonly code: string;
  readonly label: string;
  readonly percent: number;
}

const ranks: readonly [Rank, ...Rank[]] = [
  { code: 'S', label: 'S 美品', percent: 110 },
  { code: 'A', label: 'A 良好', percent: 100 },
  { code: 'A-', label: 'A- 微傷', percent: 85 },
  { code: 'B', label: 'B 傷あり', percent: 60 },
];

export const demoShopGrades = ranks.map(({ code, label }) => ({
  id: demoId(`rank ${code}`),
  change: { code, label, serviceCode: 'HOUSE', serviceName: '当店査定' },
}));

/** Returns units, each one physical piece. `now` is the newest acquisition date. */
export function makeUnits(
  cards: readonly Priced<Card>[],
  products: readonly Priced<BoostProduct>[],
  now: Date,
): readonly UnitChange[] {
  return Array.from({ length: UNITS }, (_, index) => {
    const random = seededRandom(`unit ${index}`);
    const isProduct = random.integerBelow(100) < 5;
    const piece = isProduct ? productPiece(products, index) : cardPiece(cards, index);
    const placeRandom = seededRandom(`place ${index}`);
    const isInStore = placeRandom.integerBelow(100) < 70;
    const [siteId, codes] = isInStore
      ? [store, ['S-1', 'S-2', 'A-1', 'SAFE'] as const]
      : [warehouse, ['R-1', 'R-2'] as const];
    const days = random.integerBelow(365);
    return {
      id: demoId(`unit ${index}`),
      siteId,
      locationId:
        placeRandom.integerBelow(20) === 0 ? null : demoId(`location ${placeRandom.pick(codes)}`),
      ...piece,
      ownership: random.integerBelow(25) === 0 ? 'consigned' : 'owned',
      status: statusOf(seededRandom(`status ${index}`).integerBelow(100)),
      acquiredAt: new Date(now.getTime() - days * 86_400_000),
    };
  });
}

type Piece = Pick<UnitChange, 'item' | 'certNumber' | 'serialNumber' | 'priceMinor' | 'costMinor'>;

function cardPiece(cards: readonly Priced<Card>[], index: number): Piece {
  const random = seededRandom(`piece ${index}`);
  const card = cards[random.integerBelow(cards.length)];
  if (card === undefined) throw new Error('the demo catalog has no card');
  const cardId = card.of.id;
  const isSlab = card.yen >= 2_400 && random.integerBelow(4) === 0;
  if (isSlab) {
    const service = random.pick(['KGS 10', 'KGS 9.5', 'KGS 9', 'HCA Gem', 'HCA Mint']);
    return {
      item: { kind: 'card', cardId, gradeId: demoId(`grade ${service}`) },
      certNumber: String(10_000_000 + random.integerBelow(80_000_000)),
      ...amounts(card.yen * (service === 'KGS 10' ? 5 : 2)),
    };
  }
  const isUngraded = random.integerBelow(10) === 0;
  const rank = random.pick(ranks);
  return {
    item: { kind: 'card', cardId, gradeId: isUngraded ? null : demoId(`rank ${rank.code}`) },
    ...(card.yen >= 18_000
      ? { serialNumber: `${String(1 + random.integerBelow(100)).padStart(3, '0')}/100` }
      : {}),
    ...amounts((card.yen * (isUngraded ? 100 : rank.percent)) / 100),
  };
}

function productPiece(products: readonly Priced<BoostProduct>[], index: number): Piece {
  const product = products[seededRandom(`piece ${index}`).integerBelow(products.length)];
  if (product === undefined) throw new Error('the demo catalog has no product');
  return { item: { kind: 'product', productId: product.of.id }, ...amounts(product.yen) };
}

/** Returns the asking price in steps of 10 yen, and the cost. */
function amounts(yen: number): Pick<Piece, 'priceMinor' | 'costMinor'> {
  const priceMinor = Math.max(30, Math.round(yen / 10) * 10);
  return { priceMinor, costMinor: Math.round(priceMinor * 0.55) };
}

function statusOf(percent: number): UnitStatus {
  if (percent < 86) return 'in_stock';
  if (percent < 90) return 'reserved';
  if (percent < 92) return 'in_transit';
  if (percent < 94) return 'grading';
  if (percent < 99) return 'sold';
  return 'written_off';
}
