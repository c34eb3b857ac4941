import { announce } from '../database/channel.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { recordAudit, SERVICE } from '../shops/audit.ts';
import type { RefreshTokenClaims } from './refresh-token.ts';

/** A refresh token that the service has issued but that is missing in the restored database. */
export interface LostToken {
  readonly hash: string;
  readonly claims: RefreshTokenClaims;
  readonly clientId: string;
}

/** How long lost tokens are accepted after a restore, and the lifetime of a refresh token. */
export interface LostTokenLimits {
  readonly trustMs: number;
  readonly lifetimeMs: number;
}

/** Records a restore at `now`, or at the database's time if that is later. */
export async function recordRestore(tx: Transaction, now: Date): Promise<void> {
  await tx.query(insertRestore, [now]);
}

/**
 * Accepts a refresh token that was issued after the restored backup (decision 0215). Its approval
 * must be in force, the restore must be recent, and no newer lost token may have been accepted. The
 * approval's other tokens and codes end. Returns true if the database now contains the token, even
 * if a concurrent request has added it, and `newest` if no restore explains a token that is newer
 * than all others of its approval.
 */
export async function recoverLostToken(
  tx: Transaction,
  { hash, claims, clientId }: LostToken,
  { trustMs, lifetimeMs }: LostTokenLimits,
  now: Date,
): Promise<boolean | 'newest'> {
  const { shopId, approvalId, expiresAt } = claims;
  const grant = await tx.one(lockGrantOfApproval, [shopId, approvalId, clientId]);
  if (grant === undefined) return false;
  const { grantHash } = grant;
  const since = new Date(now.getTime() - trustMs);
  const values = [shopId, grantHash, since, expiresAt, lifetimeMs];
  const newest = await tx.one(selectNewestTokenOfLostPeriod, values);
  if (newest === undefined || expiresAt < newest.expiresAt) return false;
  if (expiresAt.getTime() === newest.expiresAt.getTime()) return true;
  if (!newest.isOfLostPeriod) return 'newest';
  const exp = Math.floor(expiresAt.getTime() / 1_000);
  const times = { exp, iat: exp - lifetimeMs / 1_000 };
  await tx.query(consumeRefreshTokens, [shopId, grantHash, now]);
  await tx.query(deleteCodesAndAccessTokens, [shopId, grantHash]);
  const payload = JSON.stringify({ ...newest.payload, ...times });
  await tx.query(insertRestoredToken, [shopId, hash, payload, grantHash, expiresAt]);
  await announce(tx, 'access', shopId);
  const subject = { kind: 'app', id: clientId, name: null } as const;
  await recordAudit(tx, shopId, SERVICE, { action: 'approval.recovered', subject }, now);
  return true;
}

export interface ApprovalToRenew {
  readonly shop: string;
  readonly app: string;
  readonly member: string;
}

export async function listApprovalsToRenew(
  db: Queryable,
  now: Date,
  limit: number,
): Promise<readonly ApprovalToRenew[]> {
  return await db.query(selectApprovalsToRenew, [now, limit]);
}

export const insertRestore = statement(
  'insert_restore',
  `insert into restore (restored_at) values (greatest($1, clock_timestamp()))`,
);

export const lockGrantOfApproval = statement<{ readonly grantHash: string }>(
  'lock_grant_of_approval',
  `select id as "grantHash" from oauth_artifact
    where shop_id = $1 and model = 'Grant' and id = (
      select grant_hash from approval
       where shop_id = $1 and approval_id = $2 and client_id = $3 and ended_at is null)
      for update`,
);

// All refresh tokens have the same lifetime, so the expiry of a token shows when it was issued.
export const selectNewestTokenOfLostPeriod = statement<{
  readonly payload: Readonly<Record<string, unknown>>;
  readonly expiresAt: Date;
  readonly isOfLostPeriod: boolean;
}>(
  'select_newest_token_of_lost_time',
  `with last as (
     select max(restored_at) + $5::float8 * interval '1 millisecond' as ends_at from restore
      where restored_at > $3
   )
   select payload - array['spentBy', 'isRepeated'] as payload, expires_at as "expiresAt",
       coalesce($4 <= last.ends_at, false) as "isOfLostPeriod"
     from oauth_artifact, last
    where shop_id = $1 and grant_hash = $2 and model = 'RefreshToken'
      and ($4 <= last.ends_at and expires_at > last.ends_at) is not true
    order by expires_at desc limit 1`,
);

export const consumeRefreshTokens = statement(
  'consume_refresh_tokens',
  `update oauth_artifact set consumed_at = $3
    where shop_id = $1 and grant_hash = $2 and model = 'RefreshToken' and consumed_at is null`,
);

export const deleteCodesAndAccessTokens = statement(
  'delete_codes_and_access_tokens',
  `with answers as (delete from oauth_answer where shop_id = $1 and grant_hash = $2)
   delete from oauth_artifact
    where shop_id = $1 and grant_hash = $2 and model in ('AccessToken', 'AuthorizationCode')`,
);

export const insertRestoredToken = statement(
  'insert_restored_token',
  `insert into oauth_artifact (shop_id, model, id, payload, grant_hash, expires_at)
   values ($1, 'RefreshToken', $2, $3, $4, $5)`,
);

export const selectApprovalsToRenew = statement<ApprovalToRenew>(
  'select_approvals_to_renew',
  `select s.slug as shop, a.name as app, c.name as member
     from approval p
     join shop s on s.shop_id = p.shop_id
     join app a on a.shop_id = p.shop_id and a.client_id = p.client_id and a.removed_at is null
     join member m on m.shop_id = p.shop_id and m.account_id = p.account_id and m.is_active
     join account c on c.account_id = p.account_id
    where p.ended_at is null and exists (
      select from oauth_artifact t
       where t.shop_id = p.shop_id and t.grant_hash = p.grant_hash and t.model = 'RefreshToken' and t.expires_at > $1)
    order by s.slug, a.name, c.name limit $2`,
);
