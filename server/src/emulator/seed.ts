import { insertApp, insertAppSecret } from '../apps/app.ts';
import type { Clock } from '../base/clock.ts';
import type { NdjsonLine } from '../import/ndjson.ts';
import { hashSecret, newId } from '../base/secrets.ts';
import { endBoost, pauseBoost } from '../boosts/move-boost.ts';
import { addPurchase } from '../boosts/purchase.ts';
import { putBoost } from '../boosts/put-boost.ts';
import { importCatalog } from '../catalog/import-catalog.ts';
import { putShopGrade } from '../catalog/shop-grade.ts';
import type { Database, Transaction } from '../database/database.ts';
import { thirdPartyGrades } from '../demo/cards.ts';
import { shopGrades } from '../demo/stock.ts';
import { putLocation } from '../inventory/location.ts';
import { putSite } from '../inventory/site.ts';
import { putUnits, UNIT_BATCH_MAX } from '../inventory/unit.ts';
import { insertAccount } from '../shops/account.ts';
import { insertMember } from '../shops/member.ts';
import { hashPassword } from '../shops/password.ts';
import { insertShopKey } from '../shops/shop-key.ts';
import { insertShop } from '../shops/shop.ts';
import { FIXED_SHOPS, type FixedShop, PASSWORD } from './fixed.ts';
import type { ShopStock, Stock } from './stock.ts';
import type { TemporaryDatabase } from './temporary-database.ts';

/** What of the seed a person may choose. */
export interface SeedOptions {
  /** Of every app. */
  readonly redirectUris: readonly string[];
}

/** Writes everything that an emulator has at its start, but for the photos, into an empty throw-away database. */
export async function seed(
  { db }: TemporaryDatabase,
  clock: Clock,
  stock: Stock,
  { redirectUris }: SeedOptions,
): Promise<void> {
  const passwordHash = await hashPassword(PASSWORD);
  const { rejected } = await importCatalog(db, linesOf([...thirdPartyGrades, ...stock.entries]), {
    clock,
  });
  if (rejected[0] !== undefined) throw new Error(`the emulated catalog: ${rejected[0].detail}`);
  for (const [index, shop] of FIXED_SHOPS.entries()) {
    const own = stock.shops[index];
    if (own === undefined) throw new Error('a shop without stock');
    await db.transaction(async (tx) => {
      await writeShop(tx, shop, { redirectUris, passwordHash, now: clock.now() });
      await writePlaces(tx, shop, own, clock.now());
    });
    await writeUnits(db, shop, own, clock.now());
    await db.transaction(async (tx) => await writeBoosts(tx, shop, own, clock.now()));
  }
}

interface ShopTerms {
  readonly redirectUris: readonly string[];
  readonly passwordHash: string;
  readonly now: Date;
}

/** Through the statements of the rooms whose tables these are: their verbs draw every id and secret anew. */
async function writeShop(
  tx: Transaction,
  shop: FixedShop,
  { redirectUris, passwordHash, now }: ShopTerms,
): Promise<void> {
  const { id: shopId, slug, name, currency, keyId, shopKey } = shop;
  await tx.query(insertShop, [shopId, slug, name, currency, now]);
  const keysMax = 1;
  await tx.count(insertShopKey, [shopId, keyId, 'emulated', hashSecret(shopKey), now, keysMax]);
  for (const { id, email, name: person, permissions } of shop.members) {
    await tx.query(insertAccount, [id, email, person, passwordHash, now]);
    await tx.count(insertMember, [shopId, id, [...permissions], now]);
  }
  for (const { clientId, clientSecret, name: title, scopes, sharesCost } of shop.apps) {
    const registration = [title, null, [...redirectUris], [...scopes], sharesCost, now];
    await tx.query(insertApp, [shopId, clientId, ...registration]);
    await tx.count(insertAppSecret, [shopId, clientId, newId(), hashSecret(clientSecret), now]);
  }
}

async function writePlaces(
  tx: Transaction,
  { id: shopId }: FixedShop,
  { sites, locations }: ShopStock,
  now: Date,
): Promise<void> {
  for (const { id, change } of shopGrades) await putShopGrade(tx, shopId, id, change, now);
  for (const { id, change } of sites) expectWritten(await putSite(tx, shopId, id, change, now));
  for (const { id, change } of locations) {
    expectWritten(await putLocation(tx, shopId, id, change, now));
  }
}

async function writeUnits(
  db: Database,
  shop: FixedShop,
  { units }: ShopStock,
  now: Date,
): Promise<void> {
  for (let from = 0; from < units.length; from += UNIT_BATCH_MAX) {
    const batch = units.slice(from, from + UNIT_BATCH_MAX);
    const results = await db.transaction(async (tx) => await putUnits(tx, shop, batch, now));
    for (const result of results) expectWritten(result);
  }
}

async function writeBoosts(
  tx: Transaction,
  shop: FixedShop,
  { boosts }: ShopStock,
  now: Date,
): Promise<void> {
  for (const { id, change, move } of boosts) {
    expectWritten(await putBoost(tx, shop, id, change, now));
    if (move === 'pause') await pauseBoost(tx, shop.id, id, now);
    else if (move === 'end') await endBoost(tx, shop.id, id, now);
    else if (move !== null) expectWritten(await addPurchase(tx, shop.id, id, move, now));
  }
}

function expectWritten(result: { readonly kind: string }): void {
  if (result.kind !== 'created') throw new Error(`the emulated stock: ${JSON.stringify(result)}`);
}

async function* linesOf(values: readonly unknown[]): AsyncGenerator<NdjsonLine, void> {
  let number = 0;
  for (const value of values) yield { kind: 'value', number: ++number, value };
}
