import { SCOPES, type Scope } from '../apps/scope.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

export interface ApprovalState {
  readonly scopes: readonly Scope[];
  readonly endedAt: Date | null;
  readonly hasTokens: boolean;
  readonly member: { readonly isActive: boolean; readonly mayReadPurchases: boolean };
}

export function isInForce({ endedAt, hasTokens, member }: ApprovalState): boolean {
  return endedAt === null && hasTokens && member.isActive;
}

/** Boosts also need the member's permission `purchases.read` (spec 4.4, 5.5). */
export function scopesInForce(approvals: readonly ApprovalState[]): readonly Scope[] {
  const open = new Set<Scope>();
  for (const approval of approvals.filter((each) => isInForce(each))) {
    for (const scope of approval.scopes) {
      if (scope !== 'purchase-boosts:read' || approval.member.mayReadPurchases) open.add(scope);
    }
  }
  return SCOPES.filter((scope) => open.has(scope));
}

/** SQL condition: approval `p` has a valid code, refresh or access token at the instant `$2`. */
const hasTokens = (shop: ShopOfApp): string => `exists (
            select from oauth_artifact t
             where t.shop_id = ${shop} and t.grant_hash = p.grant_hash
               and t.model in ('AuthorizationCode', 'RefreshToken', 'AccessToken')
               and t.consumed_at is null and t.expires_at > $2)`;

/** The SQL expression for the shop: a parameter of the statement, or the shop of each app `a`. */
type ShopOfApp = '$1' | 'a.shop_id';

export const HAS_TOKENS = hasTokens('$1');

/** SQL condition: app `a` has an approval in force at `$2` with access to stock or buy boosts. */
export const isApprovedIn = (shop: ShopOfApp): string => `exists (
            select from approval p
              join member m on m.shop_id = ${shop} and m.account_id = p.account_id and m.is_active
             where p.shop_id = ${shop} and p.client_id = a.client_id and p.ended_at is null
               and ('inventory:read' = any(p.scopes) and 'inventory:read' = any(a.scopes)
                 or 'purchase-boosts:read' = any(p.scopes) and 'purchase-boosts:read' = any(a.scopes)
                   and 'purchases.read' = any(m.permissions))
               and ${hasTokens(shop)})`;

export const IS_APPROVED = isApprovedIn('$1');

export const selectIsApproved = statement<{ readonly isApproved: boolean }>(
  'select_is_approved',
  `select ${IS_APPROVED} as "isApproved" from app a where a.shop_id = $1 and a.client_id = $3`,
);

/** Returns false if every read of the app is refused. */
export async function isAppApproved(
  db: Queryable,
  shopId: string,
  clientId: string,
  now: Date,
): Promise<boolean> {
  return (await db.one(selectIsApproved, [shopId, now, clientId]))?.isApproved ?? false;
}
