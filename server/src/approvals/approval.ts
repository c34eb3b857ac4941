import { hashSecret, newId } from '../base/secrets.ts';
import { announce } from '../database/channel.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { findAccount } from '../shops/account.ts';
import { type Actor, recordAudit } from '../shops/audit.ts';
import { HAS_TOKENS } from './approval-in-force.ts';

/** After `connection_ended`, calls get `connection_revoked`; otherwise `invalid_token`. */
export type ApprovalEnd = 'connection_ended' | 'token_revoked' | 'token_reused';

/** A member's consent to an app. The authorization server calls it a grant. */
export interface Approval {
  readonly shopId: string;
  readonly approvalId: string;
  readonly clientId: string;
  readonly accountId: string;
  readonly scopes: readonly string[];
  readonly endedAt: Date | null;
}

export interface GrantKey {
  readonly shopId: string;
  /** SHA-256 of the Grant's id in the authorization server. */
  readonly grantHash: string;
}

export interface NewApproval {
  readonly shopId: string;
  readonly clientId: string;
  readonly accountId: string;
  /** The Grant's id in the authorization server. Only its SHA-256 is stored. */
  readonly grantId: string;
  readonly scopes: readonly string[];
}

/** Creates an approval and returns its id. The caller saves the Grant in the same transaction. */
export async function createApproval(
  tx: Transaction,
  approval: NewApproval,
  now: Date,
  by: Actor,
): Promise<string> {
  const approvalId = newId();
  await tx.query(insertApproval, [
    approval.shopId,
    approvalId,
    approval.clientId,
    approval.accountId,
    hashSecret(approval.grantId),
    approval.scopes,
    now,
  ]);
  await announce(tx, 'access', approval.shopId);
  const details = { ...(await memberOf(tx, approval)), scopes: approval.scopes };
  const subject = { kind: 'app', id: approval.clientId, name: null } as const;
  const event = { action: 'approval.given', subject, details } as const;
  await recordAudit(tx, approval.shopId, by, event, now);
  return approvalId;
}

async function memberOf(
  tx: Transaction,
  { accountId }: Pick<Approval, 'accountId'>,
): Promise<{ readonly member: string }> {
  return { member: (await findAccount(tx, accountId))?.name ?? accountId };
}

export async function findApproval(
  db: Queryable,
  { shopId, grantHash }: GrantKey,
): Promise<Approval | undefined> {
  return await db.one(selectApproval, [shopId, grantHash]);
}

/**
 * Deletes the approval's codes, tokens, stored responses and Grant, so that calls get 401. Waits
 * for a concurrent token request of this Grant. An approval that had already ended keeps its
 * reason. Returns undefined if the approval does not exist.
 */
export async function endApproval(
  tx: Transaction,
  { shopId, grantHash }: GrantKey,
  reason: Exclude<ApprovalEnd, 'connection_ended'>,
  now: Date,
  by: Actor,
): Promise<{ readonly clientId: string } | undefined> {
  // All code locks the Grant's row first, so that requests and revocations cannot deadlock.
  await tx.query(lockGrant, [shopId, grantHash]);
  await tx.query(deleteStoredResponsesOfGrant, [shopId, grantHash]);
  await tx.query(deleteArtifactsOfGrant, [shopId, grantHash]);
  const ended = await tx.count(markApprovalEnded, [shopId, grantHash, reason, now]);
  const approval = await findApproval(tx, { shopId, grantHash });
  if (approval === undefined) return undefined;
  await announce(tx, 'access', shopId);
  if (ended > 0) {
    const subject = { kind: 'app', id: approval.clientId, name: null } as const;
    const details = { reason, ...(await memberOf(tx, approval)) };
    const event = { action: 'approval.ended', subject, details } as const;
    await recordAudit(tx, shopId, by, event, now);
  }
  return { clientId: approval.clientId };
}

/**
 * Ends every approval of an app because the connection ended. Access tokens stay until they expire,
 * so that their calls get `connection_revoked` (spec 3.1). Call this before locking the
 * connection's row, because Grants are locked first everywhere. The caller records one audit entry
 * for all approvals.
 */
export async function endApprovals(
  tx: Transaction,
  shopId: string,
  clientId: string,
  now: Date,
): Promise<number> {
  await tx.query(lockGrantsOfApp, [shopId, clientId]);
  await tx.query(deleteStoredResponsesOfApp, [shopId, clientId]);
  await tx.query(deleteArtifactsOfApp, [shopId, clientId]);
  const ended = await tx.count(markApprovalsEnded, [shopId, clientId, now]);
  if (ended > 0) await announce(tx, 'access', shopId);
  return ended;
}

export const insertApproval = statement(
  'insert_approval',
  `insert into approval
     (shop_id, approval_id, client_id, account_id, grant_hash, scopes, created_at)
   values ($1, $2, $3, $4, $5, $6, $7)`,
);

export const selectApproval = statement<Approval>(
  'select_approval',
  `select shop_id as "shopId", approval_id as "approvalId", client_id as "clientId",
          account_id as "accountId", scopes, ended_at as "endedAt"
     from approval where shop_id = $1 and grant_hash = $2`,
);

export const lockGrant = statement(
  'lock_grant',
  `select from oauth_artifact where shop_id = $1 and model = 'Grant' and id = $2 for update`,
);

export const markApprovalEnded = statement(
  'mark_approval_ended',
  `update approval set ended_at = $4, end_reason = $3
    where shop_id = $1 and grant_hash = $2 and ended_at is null`,
);

export const deleteArtifactsOfGrant = statement(
  'delete_artifacts_of_grant',
  `delete from oauth_artifact where shop_id = $1 and grant_hash = $2`,
);

export const deleteStoredResponsesOfGrant = statement(
  'delete_stored_responses_of_grant',
  `delete from oauth_answer where shop_id = $1 and grant_hash = $2`,
);

export const lockGrantsOfApp = statement(
  'lock_grants_of_app',
  `select from oauth_artifact
    where shop_id = $1 and model = 'Grant' and id in (
      select grant_hash from approval
       where shop_id = $1 and client_id = $2 and ended_at is null)
    order by id for update`,
);

export const deleteArtifactsOfApp = statement(
  'delete_artifacts_of_app',
  `delete from oauth_artifact
    where shop_id = $1 and model <> 'AccessToken' and grant_hash in (
      select grant_hash from approval
       where shop_id = $1 and client_id = $2 and ended_at is null)`,
);

export const deleteStoredResponsesOfApp = statement(
  'delete_stored_responses_of_app',
  `delete from oauth_answer
    where shop_id = $1 and grant_hash in (
      select grant_hash from approval
       where shop_id = $1 and client_id = $2 and ended_at is null)`,
);

export const markApprovalsEnded = statement(
  'mark_approvals_ended',
  `update approval set ended_at = $3, end_reason = 'connection_ended'
    where shop_id = $1 and client_id = $2 and ended_at is null`,
);

/** Finds an approval that has not ended and has tokens, even if its member is inactive. */
export const selectLiveApproval = statement<{ readonly approvalId: string }>(
  'select_live_approval',
  `select p.approval_id as "approvalId"
     from approval p
    where p.shop_id = $1 and p.client_id = $3 and p.ended_at is null and ${HAS_TOKENS}
    limit 1`,
);
