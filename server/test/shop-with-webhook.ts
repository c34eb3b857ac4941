import { newId } from '../src/base/secrets.ts';
import { openConnection } from '../src/connections/connection.ts';
import type { Database } from '../src/database/database.ts';
import { createApproval } from '../src/approvals/approval.ts';
import { putWebhook } from '../src/webhooks/registration.ts';
import { WebhookSecrets } from '../src/webhooks/webhook-secrets.ts';
import { saveLongLivedToken } from './long-lived-token.ts';
import { type SeededShop, seedShop, TEST_SECRET_KEY } from './service.ts';
import { OPERATOR } from '../src/shops/audit.ts';

/** A shop with a connected app that has registered a webhook. */
export interface ShopWithWebhook extends SeededShop {
  readonly connectionId: string;
  readonly secret: string;
}

/**
 * Creates a shop with a webhook at `url`, which must be on loopback, through the domain functions.
 */
export async function seedShopWithWebhook(
  db: Database,
  url: string,
  now: Date = new Date(),
): Promise<ShopWithWebhook> {
  const redirectUris = [new URL('/callback', url).href];
  const seeded = await seedShop({ db }, { redirectUris, now });
  const shopId = seeded.shop.id;
  const { clientId } = seeded.app;
  const accountId = seeded.member.account.id;
  return await db.transaction(async (tx) => {
    const scopes = ['inventory:read'];
    const approval = { shopId, clientId, accountId, grantId: newId(), scopes };
    const approvalId = await createApproval(tx, approval, now, OPERATOR);
    await saveLongLivedToken(tx, approval, now);
    const opened = await openConnection(
      tx,
      { shopId, clientId, approvalId, accountId },
      now,
      OPERATOR,
    );
    if (opened.kind !== 'created') throw new Error(opened.kind);
    const connectionId = opened.connection.id;
    const hook = { shopId, clientId, connectionId, url, allowsLoopback: true };
    const put = await putWebhook(tx, new WebhookSecrets(TEST_SECRET_KEY, null), hook, now);
    if (put.kind !== 'put') throw new Error(put.kind);
    return { ...seeded, connectionId, secret: put.secret };
  });
}
