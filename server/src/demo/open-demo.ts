import { join } from 'node:path';
import { findApp, registerApp } from '../apps/app.ts';
import { SCOPES } from '../apps/scope.ts';
import type { Clock } from '../base/clock.ts';
import { newSecret } from '../base/secrets.ts';
import type { Database } from '../database/database.ts';
import { addMember } from '../shops/member.ts';
import { hashPassword } from '../shops/password.ts';
import { PERMISSIONS } from '../shops/permission.ts';
import { createShopKey } from '../shops/shop-key.ts';
import { createShop, findShopBySlug, type Shop } from '../shops/shop.ts';
import { makeBoosts } from './boosts.ts';
import { makeCards, makeProducts } from './cards.ts';
import {
  DEMO_CLERK_EMAIL,
  type DemoCredentials,
  recordDemoStep,
  readCredentials,
  writeCredentials,
} from './credentials.ts';
import { locations, makeUnits, sites } from './stock.ts';
import { writeBoosts, writeCatalog, writePlaces, writeUnits } from './write-stock.ts';
import { OPERATOR } from '../shops/audit.ts';
import type { UnitChange } from '../inventory/unit.ts';
import { seededRandom } from './seeded-random.ts';

const SLUG = 'demo';
const EMAIL = 'hana@demo.example';
/** The clerk, who cannot see apps, members and costs. */
const CLERK = {
  email: DEMO_CLERK_EMAIL,
  name: '渡 れん',
  permissions: ['purchases.read', 'purchases.write', 'inventory.read', 'inventory.write'],
} as const;
/** 16 random letters and digits have 95 bits of entropy and can still be typed. */
const PASSWORD_LETTERS = 16;

/** The demo shop in the database, or why it is missing. */
export type OpenDemoResult =
  | { readonly kind: 'demo'; readonly shop: Shop; readonly credentials: DemoCredentials }
  | { readonly kind: 'no_demo'; readonly reason: string };

/**
 * Opens the demo shop. The first start creates the shop with its members, app, key and stock; later
 * starts do not change them. The credentials are stored in `demo.json` of `folder`.
 */
export async function openDemo(
  db: Database,
  clock: Clock,
  folder: string,
  report: (sentence: string) => void,
): Promise<OpenDemoResult> {
  const file = join(folder, 'demo.json');
  const stored = readCredentials(file);
  const shop = await findShopBySlug(db, SLUG);
  if (shop === undefined) {
    report('creating the demo shop');
    return await fillDemoShop(db, clock, file, await createDemoShop(db, clock, file), report);
  }
  if (stored === null || (await findApp(db, stored.clientId)) === undefined) {
    const reason = `there is a shop "${SLUG}", but ${file} does not contain its credentials`;
    return { kind: 'no_demo', reason };
  }
  return await fillDemoShop(db, clock, file, { shop, credentials: stored }, report);
}

interface DemoShop {
  readonly shop: Shop;
  readonly credentials: DemoCredentials;
}

async function createDemoShop(db: Database, clock: Clock, file: string): Promise<DemoShop> {
  const password = newSecret('cpw').slice(-PASSWORD_LETTERS);
  const passwordHash = await hashPassword(password);
  return await db.transaction(async (tx) => {
    const now = clock.now();
    const created = await createShop(
      tx,
      { name: 'ほしぞらカード（デモ）', slug: SLUG, currency: 'JPY' },
      now,
    );
    if (created.kind !== 'created') throw new Error(`the demo shop: ${created.kind}`);
    const shopId = created.shop.id;
    const person = { email: EMAIL, name: '星野 はな', permissions: PERMISSIONS, passwordHash };
    const added = await addMember(tx, shopId, person, now, OPERATOR);
    if (added.kind !== 'added') throw new Error(`the demo member: ${added.kind}`);
    const clerk = await addMember(tx, shopId, { ...CLERK, passwordHash }, now, OPERATOR);
    if (clerk.kind !== 'added') throw new Error(`the demo clerk: ${clerk.kind}`);
    const app = {
      name: 'Price Board (demo)',
      contactEmail: null,
      redirectUris: ['http://127.0.0.1:8090/callback', 'http://localhost:8090/callback'],
      scopes: SCOPES,
      // The demo app is a public price board, which does not need the cost of units.
      sharesCost: false,
    };
    const registered = await registerApp(tx, shopId, app, now, OPERATOR);
    if (registered.kind !== 'registered') throw new Error(`the demo app: ${registered.reason}`);
    const key = await createShopKey(tx, shopId, 'demo', now, OPERATOR);
    if (key.kind !== 'created') throw new Error(`the demo key: ${key.kind}`);
    const credentials: DemoCredentials = {
      shop: SLUG,
      email: EMAIL,
      password,
      clientId: registered.app.clientId,
      clientSecret: registered.secret,
      shopKey: key.key,
      done: [],
    };
    // Write the file before the commit. If the commit fails, the next start overwrites the file. If
    // writing the file failed after a commit, the credentials would be lost.
    writeCredentials(file, credentials);
    return { shop: created.shop, credentials };
  });
}

/** Records each completed part, so that the next start can continue after an interruption. */
async function fillDemoShop(
  db: Database,
  clock: Clock,
  file: string,
  { shop, credentials }: DemoShop,
  report: (sentence: string) => void,
): Promise<OpenDemoResult> {
  let stored = credentials;
  if (!stored.done.includes('stock')) {
    await fillStock(db, clock, shop, report);
    stored = recordDemoStep(file, stored, 'stock');
  }
  if (!stored.done.includes('boosts')) {
    report('writing buy boosts');
    const now = clock.now();
    const boosts = makeBoosts(makeCards(), makeProducts(), now);
    // Write all boosts in one transaction, so that the next start never finds only some of them.
    await db.transaction(async (tx) => await writeBoosts(tx, shop, boosts, now));
    stored = recordDemoStep(file, stored, 'boosts');
  }
  return { kind: 'demo', shop, credentials: stored };
}

async function fillStock(
  db: Database,
  clock: Clock,
  shop: Shop,
  report: (sentence: string) => void,
): Promise<void> {
  const cards = makeCards();
  const products = makeProducts();
  report(`writing ${cards.length} cards and ${products.length} products`);
  await writeCatalog(
    db,
    clock,
    [...cards, ...products].map(({ of }): unknown => of),
  );
  await db.transaction(
    async (tx) => await writePlaces(tx, shop.id, { sites, locations }, clock.now()),
  );
  const units = makeUnits(cards, products, clock.now());
  report(`writing ${units.length} units`);
  for (const { at, changes } of spreadOverMonth(units, clock.now())) {
    await writeUnits(db, shop, changes, at);
  }
}

/** The number of days for which the demo's charts have data. */
const DAYS = 31;
const DAY_MS = 86_400_000;

/** The changes of units at one instant. */
interface DemoDay {
  readonly at: Date;
  readonly changes: readonly UnitChange[];
}

/**
 * Spreads the demo's units over the last month. Units acquired before the month exist at its
 * beginning; others are added on the day of their acquisition. Units that were sold, reserved or
 * shipped are added first and change status later. `now` is the end of the last day.
 */
function spreadOverMonth(units: readonly UnitChange[], now: Date): readonly DemoDay[] {
  const days: UnitChange[][] = Array.from({ length: 2 * (DAYS + 1) }, () => []);
  for (const unit of units) {
    const arrivalDay = dayOf(unit.acquiredAt ?? now, now);
    days[2 * arrivalDay]?.push({ ...unit, status: 'in_stock' });
    if (unit.status === undefined || unit.status === 'in_stock') continue;
    const departureDay =
      arrivalDay + seededRandom(`went ${unit.id}`).integerBelow(DAYS - arrivalDay + 1);
    days[2 * departureDay + 1]?.push({ id: unit.id, status: unit.status });
  }
  return days
    .map((changes, half) => ({ at: instantOf(half, now), changes }))
    .filter(({ changes }) => changes.length > 0);
}

/** Returns the day of an instant: 0 for the beginning of the month, `DAYS` for today. */
function dayOf(instant: Date, now: Date): number {
  const ago = Math.floor((now.getTime() - instant.getTime()) / DAY_MS);
  return Math.max(0, DAYS - ago);
}

/** A day has two instants: units are added at the first and leave at the second. */
function instantOf(half: number, now: Date): Date {
  const daysAgo = DAYS - Math.floor(half / 2);
  const beforeEnd = half % 2 === 0 ? DAY_MS / 8 : 0;
  return new Date(now.getTime() - daysAgo * DAY_MS - beforeEnd);
}
