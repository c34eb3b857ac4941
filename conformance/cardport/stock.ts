import type { KnownBoost, KnownObject, TargetBoosts, TargetStock } from '../target.ts';
import {
  boostCardOf,
  fullCard,
  readableUuid,
  plainCard,
  product,
  thirdPartyGrade,
} from './catalog.ts';
import { createImage } from './image.ts';
import type { ShopSystem } from './shop-system.ts';

/** The objects that the controls of a shop change. */
export interface ChangeableStock {
  readonly siteId: string;
  readonly locationId: string;
  /** The unit whose price the controls change. */
  readonly unitId: string;
  /** The unit that the controls take out of stock and put back. */
  readonly leavingUnitId: string;
  readonly leavingSiteId: string;
  readonly leavingLocationId: string;
}

export interface SeededStock {
  readonly stock: TargetStock;
  readonly boosts: TargetBoosts;
  readonly changeable: ChangeableStock;
}

/** The catalog entries used by stock and boosts. */
export interface CatalogEntries {
  readonly cardId: string;
  readonly otherCardId: string;
  readonly productId: string;
  /** A third-party grade. */
  readonly gradeId: string;
}

/** The entries of the suite's own catalog. */
export const SUITE_ENTRIES: CatalogEntries = {
  cardId: fullCard.id,
  otherCardId: plainCard.id,
  productId: product.id,
  gradeId: thirdPartyGrade.id,
};

/**
 * The number of units: more than a page of a hundred, so that a full read follows several cursors.
 */
const UNITS = 120;
const DAY_MS = 86_400_000;
/** The times of a boost that opens and closes during a run, if the clock can be moved. */
export const LATER_BOOST_TIMES = {
  startsAt: new Date(Date.now() + 400 * DAY_MS).toISOString(),
  endsAt: new Date(Date.now() + 430 * DAY_MS).toISOString(),
};
/** The price that the shop paid for its first unit. No app may see it. */
export const SECRET_COST = 321;
/** The status of units that are not created `in_stock`, by index. */
const SEEDED_STATUSES: Readonly<Record<number, string>> = {
  7: 'in_transit',
  8: 'grading',
  9: 'returned',
  10: 'voided',
};
/** The shop's own condition rank. */
const OWN_GRADE = {
  code: 'A-',
  label: '状態 A-',
  serviceCode: 'own',
  serviceName: '自店基準',
};
/** A note with characters that HTML escaping would change. */
export const NOTE_WITH_MARKUP = '美品のみ & <PSA 9> "以上"';
const NOTE_200 = '高価買取中！'.repeat(40).slice(0, 200);

/**
 * Returns a function that builds the ids of one shop. The ids of the two shops differ in their
 * first group.
 */
function idsOf(shopNumber: number): (kind: string, number: number) => string {
  return (kind, number) => `d${shopNumber}${readableUuid(kind, number).slice(2)}`;
}

/** Fills the first shop with objects in every state. */
export async function seedStock(system: ShopSystem, entries: CatalogEntries): Promise<SeededStock> {
  const id = idsOf(1);
  const [siteA, siteB, siteC, siteD] = [id('11', 1), id('11', 2), id('11', 3), id('11', 4)];
  const sites = [siteA, siteB, siteC, siteD];
  for (const [index, siteId] of sites.entries()) {
    await system.put(`/sites/${siteId}`, siteOf(index));
  }
  await system.put(`/sites/${siteC}`, { isActive: false });
  const locationIds = [1, 2, 3, 4].map((number) => id('12', number));
  const [showcase, shelf, closed, leaving] = locationIds;
  for (const [index, locationId] of locationIds.entries()) {
    const siteId = index === 2 ? siteB : siteA;
    await system.put(`/locations/${locationId}`, { ...locationOf(index), siteId });
  }
  await system.put(`/locations/${closed}`, { isActive: false });
  const ownGrade = id('13', 1);
  await system.put(`/grades/${ownGrade}`, OWN_GRADE);
  const unitId = (number: number): string => id('14', number);
  const plan = { entries, ownGrade, siteA, siteB, shelf, showcase, unitId };
  const { units, unitIds, values } = unitsOf(plan);
  await system.putUnits(units);
  await system.post(`/units/${unitId(3)}/status`, { status: 'reserved' });
  await system.post(`/units/${unitId(4)}/status`, { status: 'sold' });
  await system.post(`/units/${unitId(5)}/status`, { status: 'written_off' });
  await system.putPhoto(unitId(1), 'front', createImage(200));
  await system.putPhoto(unitId(1), 'back', createImage(90));
  const changeable = {
    siteId: siteB,
    locationId: showcase ?? '',
    unitId: unitId(6),
    leavingUnitId: unitId(7),
    leavingSiteId: siteD,
    leavingLocationId: leaving ?? '',
  };
  return {
    stock: {
      siteIds: sites,
      locationIds,
      unitIds,
      inactiveSiteId: siteC,
      inactiveLocationId: closed ?? null,
      photo: { unitId: unitId(1), sides: ['front', 'back'] },
      unitWithoutPhotoId: unitId(2),
      unitInStockId: unitId(2),
      unitWithSecretCostId: unitId(1),
      statuses: {
        in_stock: [unitId(1), unitId(2)],
        reserved: [unitId(3)],
        sold: [unitId(4)],
        written_off: [unitId(5)],
        ...Object.fromEntries(
          Object.entries(SEEDED_STATUSES).map(([index, status]) => [
            status,
            [unitId(Number(index) + 1)],
          ]),
        ),
      },
      values: withoutChangedValues(
        [
          ...sites.map((siteId, index) => ({ id: siteId, ...siteOf(index) })),
          ...locationIds.map((locationId, index) => ({ id: locationId, ...locationOf(index) })),
          ...values,
        ],
        changeable,
      ),
    },
    boosts: await seedBoosts(system, entries, ownGrade, (number) => id('15', number)),
    changeable,
  };
}

/**
 * Fills the second shop with one object of each kind, so that the first shop's app can ask for
 * another shop's ids.
 */
export async function seedSecondShop(
  system: ShopSystem,
  entries: CatalogEntries,
): Promise<SeededStock> {
  const id = idsOf(2);
  const [siteId, locationId, unitId, boostId] = [
    id('11', 1),
    id('12', 1),
    id('14', 1),
    id('15', 1),
  ];
  await system.put(`/sites/${siteId}`, siteOf(0));
  await system.put(`/locations/${locationId}`, { ...locationOf(0), siteId });
  const item = { kind: 'card', cardId: entries.cardId };
  await system.put(`/units/${unitId}`, { siteId, locationId, item, priceMinor: 700 });
  await system.putPhoto(unitId, 'front', createImage(10));
  await system.put(`/boosts/${boostId}`, { target: item, priceMinor: 4_000, remainingQuantity: 2 });
  return {
    stock: {
      siteIds: [siteId],
      locationIds: [locationId],
      unitIds: [unitId],
      inactiveSiteId: null,
      inactiveLocationId: null,
      photo: { unitId, sides: ['front'] },
      unitWithoutPhotoId: null,
      unitInStockId: null,
      unitWithSecretCostId: null,
      statuses: {},
    },
    boosts: {
      open: [boostId],
      openAndFilled: [boostId],
      values: [],
      hidden: {},
      opensLater: null,
    },
    changeable: {
      siteId,
      locationId,
      unitId,
      leavingUnitId: unitId,
      leavingSiteId: siteId,
      leavingLocationId: locationId,
    },
  };
}

function siteOf(index: number): object {
  return {
    code: `S${index + 1}`,
    name: `${index + 1}号店`,
    kind: index === 1 ? 'warehouse' : 'store',
    countryCode: 'JP',
    timezone: 'Asia/Tokyo',
  };
}

function locationOf(index: number): object {
  const isShowcase = index === 0;
  return {
    code: `L${index + 1}`,
    name: isShowcase ? 'ショーケース' : `棚 ${index + 1}`,
    kind: isShowcase ? 'showcase' : 'shelf',
  };
}

interface UnitPlan {
  readonly entries: CatalogEntries;
  readonly ownGrade: string;
  readonly siteA: string | undefined;
  readonly siteB: string | undefined;
  readonly shelf: string | undefined;
  readonly showcase: string | undefined;
  readonly unitId: (number: number) => string;
}

function unitsOf({ entries, ownGrade, siteA, siteB, shelf, showcase, unitId }: UnitPlan): {
  readonly units: readonly object[];
  readonly unitIds: readonly string[];
  readonly values: readonly KnownObject[];
} {
  const { cardId, otherCardId, productId, gradeId } = entries;
  const items = [
    { kind: 'card', cardId, gradeId },
    { kind: 'card', cardId: otherCardId },
    { kind: 'product', productId },
    { kind: 'card', cardId, gradeId: ownGrade },
  ];
  const shownItems = [
    { kind: 'card', card: fullCard, grade: thirdPartyGrade },
    { kind: 'card', card: plainCard, grade: null },
    { kind: 'product', product },
    { kind: 'card', card: fullCard, grade: shownOwnGrade(ownGrade) },
  ];
  const unitIds = Array.from({ length: UNITS }, (_, index) => unitId(index + 1));
  const said = unitIds.map((id, index) => ({
    id,
    ...(index % 5 === 4
      ? { siteId: siteB, locationId: null }
      : { siteId: siteA, locationId: index % 2 === 0 ? shelf : showcase }),
    priceMinor: index % 7 === 6 ? null : 500 + index * 10,
    ...(index % 4 === 0 ? { certNumber: `C${index}`, serialNumber: '025/100' } : {}),
    ...(index % 10 === 0 ? { ownership: 'consigned' } : {}),
  }));
  const units = said.map((unit, index) => ({
    ...unit,
    item: items[index % items.length],
    ...(SEEDED_STATUSES[index] === undefined ? {} : { status: SEEDED_STATUSES[index] }),
    ...(index === 0 ? { costMinor: SECRET_COST } : {}),
    ...(index % 10 === 0 ? { acquiredAt: '2026-01-05T09:00:00Z' } : {}),
  }));
  const values = said.map((unit, index) => ({
    ...unit,
    item: shownItems[index % shownItems.length],
    currency: 'JPY',
  }));
  return { units, unitIds, values };
}

function shownOwnGrade(id: string): Readonly<Record<string, unknown>> {
  return { ...OWN_GRADE, id, serviceKind: 'internal' };
}

/** Removes the values that the control `change-stock` changes. */
export function withoutChangedValues(
  values: readonly KnownObject[],
  { siteId, locationId, unitId }: Pick<ChangeableStock, 'siteId' | 'locationId' | 'unitId'>,
): readonly KnownObject[] {
  const moved = new Map([
    [siteId, 'name'],
    [locationId, 'name'],
    [unitId, 'priceMinor'],
  ]);
  return values.map((known) => ({
    ...Object.fromEntries(Object.entries(known).filter(([name]) => name !== moved.get(known.id))),
    id: known.id,
  }));
}

async function seedBoosts(
  system: ShopSystem,
  { cardId, otherCardId, productId, gradeId }: CatalogEntries,
  ownGrade: string,
  id: (number: number) => string,
): Promise<TargetBoosts> {
  const card = { kind: 'card', cardId };
  const put = async (number: number, boost: object): Promise<void> => {
    await system.put(`/boosts/${id(number)}`, boost);
  };
  await put(1, { target: { ...card, gradeId }, priceMinor: 30_000, remainingQuantity: 3 });
  await put(2, { target: { kind: 'product', productId }, priceMinor: 12_000, note: NOTE_200 });
  const times = { startsAt: '2026-01-01T00:00:00+09:00', endsAt: '2099-12-31T23:59:59+09:00' };
  await put(3, { target: card, priceMinor: 9_000, remainingQuantity: 1, ...times });
  // Equal prices are sorted by the newest change (decision 9), so this boost comes first.
  await put(4, {
    target: { ...card, gradeId: ownGrade },
    priceMinor: 9_000,
    note: NOTE_WITH_MARKUP,
  });
  await put(5, {
    target: { kind: 'card', cardId: otherCardId },
    priceMinor: 150,
    remainingQuantity: 10,
  });
  await put(6, { target: card, priceMinor: 20_000, remainingQuantity: 0 });
  await put(7, { target: card, priceMinor: 50_000, startsAt: '2099-01-01T00:00:00Z' });
  await put(8, { target: card, priceMinor: 51_000, remainingQuantity: 4 });
  await system.post(`/boosts/${id(8)}/pause`);
  await put(9, { target: card, priceMinor: 52_000 });
  await system.post(`/boosts/${id(9)}/end`);
  await put(10, { target: card, priceMinor: 53_000, endsAt: '2026-01-02T00:00:00Z' });
  await put(11, { target: card, priceMinor: 54_000, remainingQuantity: 0 });
  await system.post(`/boosts/${id(11)}/pause`);
  await put(12, {
    target: card,
    priceMinor: 55_000,
    remainingQuantity: 0,
    endsAt: '2026-01-02T00:00:00Z',
  });
  await put(13, { target: card, priceMinor: 56_000, ...LATER_BOOST_TIMES });
  return {
    open: [1, 2, 4, 3, 5].map(id),
    openAndFilled: [1, 6, 2, 4, 3, 5].map(id),
    values: valuesOf(id, times, shownOwnGrade(ownGrade)),
    hidden: {
      scheduled: [id(7), id(13)],
      paused: [id(8), id(11)],
      ended: [id(9)],
      expired: [id(10), id(12)],
    },
    opensLater: { id: id(13), ...LATER_BOOST_TIMES },
  };
}

/** Returns the values that the list must show for its boosts. */
function valuesOf(
  id: (number: number) => string,
  times: { readonly startsAt: string; readonly endsAt: string },
  ownGrade: Readonly<Record<string, unknown>>,
): readonly KnownBoost[] {
  const card = boostCardOf(fullCard);
  const common = {
    card,
    grade: null,
    product: null,
    currency: 'JPY',
    remainingQuantity: null,
    startsAt: null,
    endsAt: null,
    note: null,
  };
  return [
    { ...common, id: id(1), priceMinor: 30_000, grade: thirdPartyGrade, remainingQuantity: 3 },
    { ...common, id: id(2), priceMinor: 12_000, card: null, product, note: NOTE_200 },
    { ...common, id: id(3), priceMinor: 9_000, remainingQuantity: 1, ...times },
    { ...common, id: id(4), priceMinor: 9_000, grade: ownGrade, note: NOTE_WITH_MARKUP },
    { ...common, id: id(5), priceMinor: 150, card: boostCardOf(plainCard), remainingQuantity: 10 },
    { ...common, id: id(6), priceMinor: 20_000, remainingQuantity: 0 },
  ];
}
