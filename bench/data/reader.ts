import { systemClock } from '../../server/src/base/clock.ts';
import { registerApp } from '../../server/src/apps/app.ts';
import type { Database } from '../../server/src/database/database.ts';
import { issueTokens } from '../../server/src/oauth/issue-tokens.ts';
import { addMember } from '../../server/src/shops/member.ts';
import { BENCH_SECRET_KEY } from '../harness/service.ts';
import { OPERATOR } from '../../server/src/shops/audit.ts';

/**
 * Approves and connects an app that may read all of a shop's stock, including costs, and returns
 * its access token.
 */
export async function openReader(
  db: Database,
  shopId: string,
  publicUrl: string,
): Promise<string> {
  const now = systemClock.now();
  const scopes = ['inventory:read' as const];
  const request = await db.transaction(async (tx) => {
    const registration = { name: 'Reader', contactEmail: null, scopes, sharesCost: true };
    const redirectUris = ['https://app.example/callback'];
    const app = await registerApp(tx, shopId, { ...registration, redirectUris }, now, OPERATOR);
    const person = { email: `${shopId}-${now.getTime()}@shop.example`, name: '雲野 花' };
    const rights = { permissions: ['inventory.cost' as const], passwordHash: 'none' };
    const member = await addMember(tx, shopId, { ...person, ...rights }, now, OPERATOR);
    if (app.kind !== 'registered' || member.kind !== 'added') throw new Error('no reader');
    const accountId = member.member.account.id;
    return { shopId, clientId: app.app.clientId, accountId, scopes };
  });
  const options = { db, clock: systemClock, publicUrl, secretKey: BENCH_SECRET_KEY };
  const issued = await issueTokens(options, request);
  if (issued.kind === 'refused') throw new Error(issued.reason);
  return issued.accessToken;
}
