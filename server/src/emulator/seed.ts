import { insertApp, insertAppSecret } from '../apps/app.ts';
import type { Clock } from '../base/clock.ts';
import { hashSecret, newId } from '../base/secrets.ts';
import type { Transaction } from '../database/database.ts';
import { writeBoosts, writeCatalog, writePlaces, writeUnits } from '../demo/write-stock.ts';
import { insertAccount } from '../shops/account.ts';
import { insertMember } from '../shops/member.ts';
import { hashPassword } from '../shops/password.ts';
import { insertShopKey } from '../shops/shop-key.ts';
import { insertShop } from '../shops/shop.ts';
import { FIXED_SHOPS, type FixedShop, PASSWORD } from './credentials.ts';
import type { Stock } from './stock.ts';
import type { TemporaryDatabase } from './temporary-database.ts';

export interface SeedOptions {
  readonly redirectUris: readonly string[];
}

/** Writes the initial data, except photos, into an empty temporary database. */
export async function seed(
  { db }: TemporaryDatabase,
  clock: Clock,
  stock: Stock,
  { redirectUris }: SeedOptions,
): Promise<void> {
  const passwordHash = await hashPassword(PASSWORD);
  await writeCatalog(db, clock, stock.entries);
  for (const [index, shop] of FIXED_SHOPS.entries()) {
    const own = stock.shops[index];
    if (own === undefined) throw new Error('a shop without stock');
    await db.transaction(async (tx) => {
      await writeShop(tx, shop, { redirectUris, passwordHash, now: clock.now() });
      await writePlaces(tx, shop.id, own, clock.now());
    });
    await writeUnits(db, shop, own.units, clock.now());
    await db.transaction(async (tx) => await writeBoosts(tx, shop, own.boosts, clock.now()));
  }
}

interface ShopSeedOptions {
  readonly redirectUris: readonly string[];
  readonly passwordHash: string;
  readonly now: Date;
}

/** Uses the SQL statements of other modules, because their functions generate random ids. */
async function writeShop(
  tx: Transaction,
  shop: FixedShop,
  { redirectUris, passwordHash, now }: ShopSeedOptions,
): Promise<void> {
  const { id: shopId, slug, name, currency, keyId, shopKey } = shop;
  await tx.query(insertShop, [shopId, slug, name, currency, now]);
  const keysMax = 1;
  await tx.count(insertShopKey, [shopId, keyId, 'emulated', hashSecret(shopKey), now, keysMax]);
  for (const { id, email, name: person, permissions } of shop.members) {
    await tx.query(insertAccount, [id, email, person, passwordHash, now, true]);
    await tx.count(insertMember, [shopId, id, [...permissions], now]);
  }
  for (const { clientId, clientSecret, name: title, scopes, sharesCost } of shop.apps) {
    const registration = [title, null, [...redirectUris], [...scopes], sharesCost, now];
    await tx.query(insertApp, [shopId, clientId, ...registration]);
    await tx.count(insertAppSecret, [shopId, clientId, newId(), hashSecret(clientSecret), now]);
  }
}
