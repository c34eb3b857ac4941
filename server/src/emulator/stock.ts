import type { Card } from '../catalog/card.ts';
import type { BoostProduct } from '../catalog/product.ts';
import { type DemoBoost, makeBoosts } from '../demo/boosts.ts';
import { makeCards, makeProducts, type Priced } from '../demo/cards.ts';
import { demoId } from '../demo/seeded-random.ts';
import { locations, makeUnits, sites } from '../demo/stock.ts';
import type { WithId } from '../demo/write-stock.ts';
import type { LocationChange } from '../inventory/location.ts';
import type { SiteChange } from '../inventory/site.ts';
import type { UnitChange } from '../inventory/unit.ts';

/** The units of the second shop. They reveal a client that confuses the two shops. */
const SECOND_UNITS = 10;

const [firstSite] = sites;
if (firstSite === undefined) throw new Error('the demo has no site');
const storeId = firstSite.id;
const secondSiteId = demoId('second site');

/** Ids for tests. All of these objects belong to the first shop. */
export const KNOWN_IDS = {
  /** A slab: graded by a grading service, with a certificate number and photos of both sides. */
  unitWithPhotos: demoId('emulated unit photographed'),
  unitWithoutPhotos: demoId('emulated unit plain'),
  unitSold: demoId('emulated unit sold'),
  unitReserved: demoId('emulated unit reserved'),
  unitConsigned: demoId('emulated unit consigned'),
  /** A sealed BOX. */
  unitOfProduct: demoId('emulated unit sealed'),
  unitOfInactiveCard: demoId('emulated unit of the inactive card'),
  unitAtInactiveSite: demoId('emulated unit at the closed site'),
  inactiveCard: demoId('emulated card inactive'),
  site: storeId,
  inactiveSite: demoId('emulated site closed'),
  inactiveLocation: demoId('location OLD'),
  boostOpen: demoId('boost 0'),
  boostOpenOfProduct: demoId('boost product 0'),
  boostOpenUntilLater: demoId('boost of this month'),
  boostFilled: demoId('boost filled'),
  boostScheduled: demoId('boost scheduled'),
  boostPaused: demoId('boost paused'),
  boostExpired: demoId('boost expired'),
  boostEnded: demoId('boost ended'),
} as const;

export interface ShopStock {
  readonly sites: readonly WithId<SiteChange>[];
  readonly locations: readonly WithId<LocationChange>[];
  readonly units: readonly UnitChange[];
  readonly boosts: readonly DemoBoost[];
}

export interface Stock {
  /** The catalog entries in the format of a catalog file. */
  readonly entries: readonly unknown[];
  /** The most expensive card. It has a boost, and a unit with photos. */
  readonly card: Card;
  readonly product: BoostProduct;
  readonly shops: readonly [ShopStock, ShopStock];
}

/** Returns the initial stock. Only the dates of units and boosts depend on `now`. */
export function makeStock(units: number, now: Date): Stock {
  const cards = makeCards();
  const products = makeProducts();
  const card = cards.toSorted((a, b) => b.yen - a.yen || (a.of.id < b.of.id ? -1 : 1))[0]?.of;
  const product = products[0]?.of;
  if (card === undefined || product === undefined) throw new Error('the demo catalog is empty');
  const inactive = { ...card, id: KNOWN_IDS.inactiveCard, name: '霞の竜アルバ', janCode: null };
  const entries = [...cards, ...products].map(({ of }): unknown => of);
  const drawn = drawUnits(units, cards, products, now);
  return {
    entries: [...entries, { ...inactive, isActive: false }],
    card,
    product,
    shops: [
      {
        sites: [
          ...sites,
          { id: KNOWN_IDS.inactiveSite, change: { ...closedSite, isActive: false } },
        ],
        locations,
        units: [...knownUnits(card, product), ...drawn].slice(0, units),
        boosts: makeBoosts(cards, products, now),
      },
      secondStock(cards, now),
    ],
  };
}

const closedSite: SiteChange = {
  code: 'harajuku',
  name: '原宿店（閉店）',
  kind: 'store',
  countryCode: 'JP',
  timezone: 'Asia/Tokyo',
};

function knownUnits(card: Card, product: BoostProduct): UnitChange[] {
  const piece = { siteId: storeId, priceMinor: 52_000, costMinor: 28_600 };
  const item = { kind: 'card', cardId: card.id, gradeId: null } as const;
  const ranked = { kind: 'card', cardId: card.id, gradeId: demoId('rank A') } as const;
  const slab = { kind: 'card', cardId: card.id, gradeId: demoId('grade KGS 10') } as const;
  const box = { kind: 'product', productId: product.id } as const;
  const faded = { kind: 'card', cardId: KNOWN_IDS.inactiveCard, gradeId: null } as const;
  return [
    {
      ...piece,
      id: KNOWN_IDS.unitWithPhotos,
      item: slab,
      certNumber: '10482216',
      priceMinor: 270_000,
    },
    { ...piece, id: KNOWN_IDS.unitWithoutPhotos, item: ranked },
    { ...piece, id: KNOWN_IDS.unitSold, item: ranked, status: 'sold' },
    { ...piece, id: KNOWN_IDS.unitReserved, item: ranked, status: 'reserved' },
    { ...piece, id: KNOWN_IDS.unitConsigned, item, ownership: 'consigned' },
    { ...piece, id: KNOWN_IDS.unitOfProduct, item: box, priceMinor: 6_600, costMinor: 4_950 },
    { ...piece, id: KNOWN_IDS.unitOfInactiveCard, item: faded, priceMinor: 480, costMinor: 100 },
    { ...piece, id: KNOWN_IDS.unitAtInactiveSite, siteId: KNOWN_IDS.inactiveSite, item },
  ];
}

/** Returns `count` units: the units of the demo shop, then copies of them with other ids. */
function drawUnits(
  count: number,
  cards: readonly Priced<Card>[],
  products: readonly Priced<BoostProduct>[],
  now: Date,
): UnitChange[] {
  const drawn = makeUnits(cards, products, now);
  return Array.from({ length: count }, (_, index): UnitChange => {
    const unit = drawn[index % drawn.length];
    if (unit === undefined) throw new Error('the demo has no unit');
    return index < drawn.length ? unit : { ...unit, id: demoId(`unit ${index}`) };
  });
}

function secondStock(cards: readonly Priced<Card>[], now: Date): ShopStock {
  const units = cards.slice(0, SECOND_UNITS).map(({ of, yen }, index): UnitChange => ({
    id: demoId(`second unit ${index}`),
    siteId: secondSiteId,
    item: { kind: 'card', cardId: of.id, gradeId: demoId('rank A') },
    priceMinor: yen,
    acquiredAt: now,
  }));
  const boosts = cards.slice(0, 2).map(({ of, yen }, index): DemoBoost => ({
    id: demoId(`second boost ${index}`),
    change: { target: { kind: 'card', cardId: of.id, gradeId: null }, priceMinor: yen * 2 },
    followUp: null,
  }));
  const site = { code: 'ueno', name: '上野店', kind: 'store', countryCode: 'JP' } as const;
  return {
    sites: [{ id: secondSiteId, change: { ...site, timezone: 'Asia/Tokyo' } }],
    locations: [],
    units,
    boosts,
  };
}
