import { systemClock } from '../../server/src/base/clock.ts';
import type { Database } from '../../server/src/database/database.ts';
import { makeCards } from '../../server/src/demo/cards.ts';
import { OPERATOR } from '../../server/src/shops/audit.ts';
import { addMember } from '../../server/src/shops/member.ts';
import { startSession } from '../../server/src/shops/session.ts';
import { createShopKey } from '../../server/src/shops/shop-key.ts';
import { BENCH_PUBLIC_URL } from './tenants.ts';
import { openReader } from './reader.ts';
import { fillShops, uuidFrom, type StockedShop } from './stock.ts';
import { copyCards } from './cards.ts';
import { varyCards } from './vary-cards.ts';

/** A shop with everything that can send requests for it. */
export interface CrowdShop extends StockedShop {
  readonly slug: string;
  /** The access token of an app. */
  readonly token: string;
  /** A key of the Shop API. */
  readonly key: string;
  /** The session secrets of two members who may see the stock. */
  readonly sessions: readonly string[];
  readonly unitId: string;
}

export interface CrowdSizes {
  readonly cards: number;
  readonly shops: number;
  readonly unitsOfShop: number;
}

const MEMBERS = 2;

/** Creates a catalog, and shops of the same size. */
export async function fillCrowd(
  db: Database,
  url: string,
  { cards, shops, unitsOfShop }: CrowdSizes,
): Promise<CrowdShop[]> {
  const specs = Array.from({ length: shops }, (_, n) => ({
    slug: `crowd-${n}`,
    units: unitsOfShop,
  }));
  const stocked = await fillShops(db, specs);
  // The stock is of the demo's cards, which are there already.
  const known = new Set(makeCards().map(({ of }) => of.id));
  const others = [...varyCards(cards)].filter(({ id }) => !known.has(id));
  await copyCards(db, url, others);
  const crowd: CrowdShop[] = [];
  for (const [n, shop] of stocked.entries()) {
    const slug = `crowd-${n}`;
    crowd.push({
      ...shop,
      slug,
      token: await openReader(db, shop.id, BENCH_PUBLIC_URL),
      key: await keyOf(db, shop),
      sessions: await sessionsOf(db, shop, slug),
      unitId: uuidFrom(`${slug} unit 0`),
    });
  }
  return crowd;
}

async function keyOf(db: Database, { id }: StockedShop): Promise<string> {
  const now = systemClock.now();
  const made = await db.transaction(
    async (tx) => await createShopKey(tx, id, 'till', now, OPERATOR),
  );
  if (made.kind !== 'created') throw new Error(made.kind);
  return made.key;
}

async function sessionsOf(db: Database, { id }: StockedShop, slug: string): Promise<string[]> {
  const now = systemClock.now();
  const secrets: string[] = [];
  for (let n = 0; n < MEMBERS; n++) {
    const person = { email: `clerk-${n}@${slug}.example`, name: '雲野 花' };
    const rights = { permissions: ['inventory.read' as const], passwordHash: 'none' };
    const added = await db.transaction(
      async (tx) => await addMember(tx, id, { ...person, ...rights }, now, OPERATOR),
    );
    if (added.kind !== 'added') throw new Error(added.kind);
    secrets.push((await startSession(db, added.member.account.id, now)).secret);
  }
  return secrets;
}
