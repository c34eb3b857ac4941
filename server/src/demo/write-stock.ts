import type { Clock } from '../base/clock.ts';
import { endBoost, pauseBoost } from '../boosts/change-boost-state.ts';
import { addPurchase } from '../boosts/purchase.ts';
import { type BoostShop, putBoost } from '../boosts/put-boost.ts';
import { importCatalog } from '../catalog/import-catalog.ts';
import { putShopGrade } from '../catalog/shop-grade.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { NdjsonLine } from '../import/ndjson.ts';
import { type LocationChange, putLocation } from '../inventory/location.ts';
import { putSite, type SiteChange } from '../inventory/site.ts';
import { putUnits, UNIT_BATCH_MAX, type UnitChange, type UnitShop } from '../inventory/unit.ts';
import type { DemoBoost } from './boosts.ts';
import { thirdPartyGrades } from './cards.ts';
import { demoShopGrades } from './stock.ts';

export interface WithId<T> {
  readonly id: string;
  readonly change: T;
}

/**
 * Writes cards and products, passed in the format of a catalog file, and the grades of the grading
 * services.
 */
export async function writeCatalog(
  db: Database,
  clock: Clock,
  entries: readonly unknown[],
): Promise<void> {
  const lines = linesOf([...thirdPartyGrades, ...entries]);
  const { rejected } = await importCatalog(db, lines, { clock });
  if (rejected[0] !== undefined) throw new Error(`the demo catalog: ${rejected[0].detail}`);
}

/** Writes the shop's grades, sites and locations. */
export async function writePlaces(
  tx: Transaction,
  shopId: string,
  places: {
    readonly sites: readonly WithId<SiteChange>[];
    readonly locations: readonly WithId<LocationChange>[];
  },
  now: Date,
): Promise<void> {
  for (const { id, change } of demoShopGrades) await putShopGrade(tx, shopId, id, change, now);
  for (const { id, change } of places.sites) {
    expectWritten(await putSite(tx, shopId, id, change, now));
  }
  for (const { id, change } of places.locations) {
    expectWritten(await putLocation(tx, shopId, id, change, now));
  }
}

export async function writeUnits(
  db: Database,
  shop: UnitShop,
  units: readonly UnitChange[],
  now: Date,
): Promise<void> {
  for (let from = 0; from < units.length; from += UNIT_BATCH_MAX) {
    const batch = units.slice(from, from + UNIT_BATCH_MAX);
    const results = await db.transaction(async (tx) => await putUnits(tx, shop, batch, now));
    for (const result of results) expectWritten(result);
  }
}

/** Writes boosts and their later changes. */
export async function writeBoosts(
  tx: Transaction,
  shop: BoostShop,
  boosts: readonly DemoBoost[],
  now: Date,
): Promise<void> {
  for (const { id, change, followUp } of boosts) {
    expectWritten(await putBoost(tx, shop, id, change, now));
    if (followUp === 'pause') await pauseBoost(tx, shop.id, id, now);
    else if (followUp === 'end') await endBoost(tx, shop.id, id, now);
    else if (followUp !== null) expectWritten(await addPurchase(tx, shop.id, id, followUp, now));
  }
}

/** `unchanged` is accepted, because an interrupted start may have written the object before. */
const WRITTEN: readonly string[] = ['created', 'updated', 'unchanged'];

function expectWritten(result: { readonly kind: string }): void {
  if (!WRITTEN.includes(result.kind)) {
    throw new Error(`the demo stock: ${JSON.stringify(result)}`);
  }
}

async function* linesOf(values: readonly unknown[]): AsyncGenerator<NdjsonLine, void> {
  let number = 0;
  for (const value of values) yield { kind: 'value', number: ++number, value };
}
