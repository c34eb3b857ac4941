import { ManualClock } from '../src/base/clock.ts';
import { newId } from '../src/base/secrets.ts';
import { addMember } from '../src/shops/member.ts';
import { OPERATOR } from '../src/shops/audit.ts';
import type { Permission } from '../src/shops/permission.ts';
import type { Language } from '../src/html/language.ts';
import type { PlainBrowser, VisitedPage } from './plain-browser.ts';
import { type SeededShop, seedShop, startTestService, type TestService } from './service.ts';
import { SHOP_API_NOW, seedCatalog, type SeededCatalog, TEST_SITE } from './shop-api.ts';
import { openSignedIn } from './signed-in-browser.ts';
import type { TestDatabase } from './test-database.ts';

/** The console of a shop with a site in Tokyo and a small catalog. The clock is fixed. */
export interface BoostConsole extends AsyncDisposable {
  readonly service: TestService;
  readonly clock: ManualClock;
  readonly seeded: SeededShop;
  readonly other: SeededShop;
  readonly catalog: SeededCatalog;
  /** A browser of the owner, who has all permissions, in English. */
  readonly owner: PlainBrowser;
  visit(path: string, browser?: PlainBrowser): Promise<VisitedPage>;
  /** Returns a browser of another member of the shop with these permissions. */
  memberWith(permissions: readonly Permission[], language?: Language): Promise<PlainBrowser>;
  /** Writes through the Shop API, as the till does. Throws if the request is refused. */
  till(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
}

export async function startBoostConsole(base: TestDatabase): Promise<BoostConsole> {
  const clock = new ManualClock(SHOP_API_NOW);
  const service = await startTestService(base, { clock });
  const [seeded, other] = [
    await seedShop(base, { now: SHOP_API_NOW }),
    await seedShop(base, { now: SHOP_API_NOW }),
  ];
  const catalog = await seedCatalog(base.db, clock);
  await service.search.whenCurrent();
  const openAs = async (accountId: string, language: Language): Promise<PlainBrowser> =>
    await openSignedIn(service, base.db, accountId, { language, now: SHOP_API_NOW });
  const owner = await openAs(seeded.member.account.id, 'en');
  const till: BoostConsole['till'] = async (method, path, body) => {
    const answer = await fetch(`${service.shopUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${seeded.shopKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  };
  await till('PUT', `/sites/${newId()}`, TEST_SITE);
  return {
    service,
    clock,
    seeded,
    other,
    catalog,
    owner,
    visit: async (path, browser = owner) =>
      await browser.visit(`${service.publicUrl}/console/shops/${seeded.shop.slug}${path}`),
    memberWith: async (permissions, language = 'en') => {
      const person = {
        email: `${newId()}@member.example`,
        name: 'Ren',
        permissions,
        passwordHash: 'x',
      };
      const added = await base.db.transaction(
        async (tx) => await addMember(tx, seeded.shop.id, person, SHOP_API_NOW, OPERATOR),
      );
      if (added.kind !== 'added') throw new Error(added.kind);
      return await openAs(added.member.account.id, language);
    },
    till,
    [Symbol.asyncDispose]: async () => void (await service.close()),
  };
}
