import { newId } from '../src/base/secrets.ts';
import { putLocation } from '../src/inventory/location.ts';
import { putSite } from '../src/inventory/site.ts';
import { OPERATOR } from '../src/shops/audit.ts';
import { addMember } from '../src/shops/member.ts';
import { importCards, newCard } from './catalog.ts';
import { insertScenePasskey } from './console-scene.ts';
import { type HookReceiver, startHookReceiver } from './hook-receiver.ts';
import { type ShopWithWebhook, seedShopWithWebhook } from './shop-with-webhook.ts';
import { type SeededShop, seedShop, startTestService, type TestService } from './service.ts';
import type { TestDatabase } from './test-database.ts';

/** A clerk must not see this cost. No other number on these pages has these digits. */
export const SECRET_COST = 777_123;

/** A small shop with everything that the actions need, on a service that delivers webhooks. */
export interface ActionScene extends AsyncDisposable {
  readonly base: TestDatabase;
  readonly service: TestService;
  readonly shop: ShopWithWebhook;
  readonly receiver: HookReceiver;
  readonly clerkId: string;
  /** The owner of another shop. */
  readonly stranger: SeededShop;
  readonly site: { readonly id: string; readonly name: string };
  readonly location: { readonly id: string; readonly name: string };
  readonly card: { readonly id: string; readonly name: string };
  readonly passkeyId: string;
  /** Calls the Shop API as the shop's point-of-sale system (the till) does. */
  till(method: string, path: string, body?: object): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Creates the shop: a site in Tokyo with a shelf, two cards, an app with a webhook, a clerk, and a
 * passkey of the owner.
 */
export async function openActionScene(base: TestDatabase): Promise<ActionScene> {
  const { db } = base;
  const receiver = await startHookReceiver();
  const service = await startTestService(base, {
    delivers: true,
    environment: { ALLOW_LOOPBACK_WEBHOOKS: 'true' },
  });
  const shop = await seedShopWithWebhook(db, receiver.url);
  const stranger = await seedShop(base, { name: 'Empty Shelf' });
  const card = newCard('蒼天竜アルバ', { cardNumber: '012' });
  await importCards(db, [card, newCard('月の番人', { cardNumber: '044' })]);
  await service.search.whenCurrent();
  const site = { id: newId(), name: '本店' };
  const location = { id: newId(), name: '棚 A-1' };
  const passkeyId = newId();
  const now = new Date();
  const clerkId = await db.transaction(async (tx) => {
    const shopId = shop.shop.id;
    const there = { countryCode: 'JP', timezone: 'Asia/Tokyo', kind: 'store' as const };
    await putSite(tx, shopId, site.id, { ...there, code: 'main', name: site.name }, now);
    const shelf = { siteId: site.id, code: 'A-1', name: location.name, kind: 'shelf' as const };
    await putLocation(tx, shopId, location.id, shelf, now);
    await tx.query(insertScenePasskey, [shop.member.account.id, passkeyId, now]);
    const clerk = await addMember(
      tx,
      shopId,
      {
        email: 'ren@clerk.example',
        name: '渡 れん',
        permissions: ['purchases.read', 'purchases.write', 'inventory.read', 'inventory.write'],
        passwordHash: 'none',
      },
      now,
      OPERATOR,
    );
    if (clerk.kind !== 'added') throw new Error(clerk.kind);
    return clerk.member.account.id;
  });
  return {
    base,
    service,
    shop,
    receiver,
    clerkId,
    stranger,
    site,
    location,
    card,
    passkeyId,
    till: async (method, path, body) => {
      const answer = await fetch(`${service.shopUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${shop.shopKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null ? { ...value } : {};
    },
    [Symbol.asyncDispose]: async () => {
      await service.close();
      await receiver[Symbol.asyncDispose]();
    },
  };
}
