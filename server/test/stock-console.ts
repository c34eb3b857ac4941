import { newId } from '../src/base/secrets.ts';
import type { Database } from '../src/database/database.ts';
import { putLocation } from '../src/inventory/location.ts';
import { putSite } from '../src/inventory/site.ts';
import { putUnits, type UnitChange } from '../src/inventory/unit.ts';
import type { Permission } from '../src/shops/permission.ts';
import { addMember } from '../src/shops/member.ts';
import { OPERATOR } from '../src/shops/audit.ts';
import { importCards, newCard } from './catalog.ts';
import type { PlainBrowser, VisitedPage } from './plain-browser.ts';
import { type SeededShop, seedShop, startTestService, type TestService } from './service.ts';
import { openSignedIn } from './signed-in-browser.ts';
import type { TestDatabase } from './test-database.ts';

/**
 * A service with a shop that has a site, a location and a card, and browsers of the shop's members.
 */
export interface StockConsole extends AsyncDisposable {
  readonly db: Database;
  readonly service: TestService;
  readonly seeded: SeededShop;
  readonly siteId: string;
  readonly locationId: string;
  readonly cardId: string;
  readonly otherCardId: string;
  /** A browser of the owner, who has all permissions. */
  readonly owner: ShopBrowser;
  /** A browser of a new member with these permissions. */
  member(permissions: readonly Permission[], language?: 'en' | 'ja'): Promise<ShopBrowser>;
  /** Creates a unit of the first card at the location. */
  makeUnit(change?: Partial<UnitChange>): Promise<string>;
}

export interface ShopBrowser {
  readonly browser: PlainBrowser;
  /** Opens a path below `/console/shops/:slug`. */
  visit(path: string): Promise<VisitedPage>;
}

/** A card name with characters that must be escaped. */
export const CARD_NAME = '蒼天竜 <b>"アルバ"&';

export async function openStockConsole(
  base: TestDatabase,
  environment: Readonly<Record<string, string>> = {},
): Promise<StockConsole> {
  const service = await startTestService(base, { environment });
  const { db } = base;
  const seeded = await seedShop(base);
  const { shop } = seeded;
  const card = newCard(CARD_NAME, { localizedNames: { en: 'Alba <i>' }, cardNumber: '012' });
  const other = newCard('月の番人', { cardNumber: '044' });
  await importCards(db, [card, other]);
  await service.search.whenCurrent();
  const [siteId, locationId] = [newId(), newId()];
  const now = new Date();
  await db.transaction(async (tx) => {
    const place = { countryCode: 'JP', timezone: 'Asia/Tokyo' };
    const site = { code: 'main', name: '本店', kind: 'store' as const, ...place };
    await putSite(tx, shop.id, siteId, site, now);
    const shelf = { siteId, code: 'A-1', name: '棚', kind: 'shelf' as const };
    await putLocation(tx, shop.id, locationId, shelf, now);
  });
  const browserOf = async (accountId: string, language: 'en' | 'ja'): Promise<ShopBrowser> => {
    const browser = await openSignedIn(service, db, accountId, { language });
    const origin = `${service.publicUrl}/console/shops/${shop.slug}`;
    return { browser, visit: async (path) => await browser.visit(`${origin}${path}`) };
  };
  return {
    db,
    service,
    seeded,
    siteId,
    locationId,
    cardId: card.id,
    otherCardId: other.id,
    owner: await browserOf(seeded.member.account.id, 'en'),
    member: async (permissions, language = 'en') => {
      const person = { email: `m-${newId()}@shop.example`, name: 'Ren', permissions };
      const added = await db.transaction(
        async (tx) =>
          await addMember(tx, shop.id, { ...person, passwordHash: 'none' }, now, OPERATOR),
      );
      if (added.kind !== 'added') throw new Error(JSON.stringify(added));
      return await browserOf(added.member.account.id, language);
    },
    makeUnit: async (change = {}) => {
      const id = change.id ?? newId();
      const item = { kind: 'card' as const, cardId: card.id };
      const unit = {
        siteId,
        locationId,
        item,
        priceMinor: 1_200,
        costMinor: 777_123,
        ...change,
        id,
      };
      const [result] = await db.transaction(
        async (tx) => await putUnits(tx, shop, [unit], new Date()),
      );
      if (result === undefined || !('unitText' in result)) throw new Error('no unit was made');
      return id;
    },
    [Symbol.asyncDispose]: async () => {
      await service.close();
    },
  };
}
