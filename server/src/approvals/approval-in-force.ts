import { SCOPES, type Scope } from '../apps/scope.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** The state that decides whether an approval still gives access. */
export interface ApprovalState {
  readonly scopes: readonly Scope[];
  readonly endedAt: Date | null;
  /** True while it has a valid code, refresh token or access token. */
  readonly hasTokens: boolean;
  readonly member: { readonly isActive: boolean; readonly mayReadPurchases: boolean };
}

/** True while its tokens give access: it has some, has not ended, and its member may act. */
export function isInForce({ endedAt, hasTokens, member }: ApprovalState): boolean {
  return endedAt === null && hasTokens && member.isActive;
}

/**
 * The scopes available through these approvals: those in force, and buy boosts only if the
 * approving member may see purchases (specification 4.4). In the order of `SCOPES`.
 */
export function scopesInForce(approvals: readonly ApprovalState[]): readonly Scope[] {
  const open = new Set<Scope>();
  for (const approval of approvals.filter((each) => isInForce(each))) {
    for (const scope of approval.scopes) {
      if (scope !== 'purchase-boosts:read' || approval.member.mayReadPurchases) open.add(scope);
    }
  }
  return SCOPES.filter((scope) => open.has(scope));
}

/**
 * SQL condition: approval `p` has a valid code, refresh token or access token at the instant `$2`.
 */
export const HAS_TOKENS = `exists (
            select from oauth_artifact t
             where t.grant_hash = p.grant_hash
               and t.model in ('AuthorizationCode', 'RefreshToken', 'AccessToken')
               and t.consumed_at is null and t.expires_at > $2)`;

/**
 * SQL condition: at the instant `$2`, an approval in force gives app `a` access to stock or buy
 * boosts.
 */
export const IS_APPROVED = `exists (
            select from approval p
              join member m on m.shop_id = p.shop_id and m.account_id = p.account_id and m.is_active
             where p.shop_id = a.shop_id and p.client_id = a.client_id and p.ended_at is null
               and ('inventory:read' = any(p.scopes) and 'inventory:read' = any(a.scopes)
                 or 'purchase-boosts:read' = any(p.scopes) and 'purchase-boosts:read' = any(a.scopes)
                   and 'purchases.read' = any(m.permissions))
               and ${HAS_TOKENS})`;

export const selectIsApproved = statement<{ readonly isApproved: boolean }>(
  'select_is_approved',
  `select ${IS_APPROVED} as "isApproved" from app a where a.shop_id = $1 and a.client_id = $3`,
);

/**
 * True while an approval in force gives the app access to stock or buy boosts: without one every
 * read is refused.
 */
export async function isAppApproved(
  db: Queryable,
  shopId: string,
  clientId: string,
  now: Date,
): Promise<boolean> {
  return (await db.one(selectIsApproved, [shopId, now, clientId]))?.isApproved ?? false;
}
