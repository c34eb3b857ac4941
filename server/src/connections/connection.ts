import { findApp, markAppRemoved } from '../apps/app.ts';
import { newId } from '../base/secrets.ts';
import { announce } from '../database/channel.ts';
import { type Queryable, StaleRead, type Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { endApprovals, selectLiveApproval } from '../approvals/approval.ts';
import { type Actor, recordAudit } from '../shops/audit.ts';

/**
 * The connection of an app to one shop. Until it ends (spec 3.1), the app may act for this shop
 * alone (spec 5.5).
 */
export interface Connection {
  readonly id: string;
  readonly shop: { readonly id: string; readonly name: string; readonly slug: string };
  /** The member on whose behalf the app last sent POST /connection. */
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly clientId: string;
  readonly connectedAt: Date;
}

/** Why a connection ended. The API never shows it (decision 0003). */
export type ConnectionEnd = 'app' | 'shop' | 'app_deleted' | 'token_revoked' | 'shop_closed';

export interface OpenConnectionRequest {
  readonly shopId: string;
  readonly clientId: string;
  readonly approvalId: string;
  readonly accountId: string;
}

export type OpenConnectionResult =
  | { readonly kind: 'created' | 'already_active'; readonly connection: Connection }
  /** The app needs a new approval before it can connect again. */
  | { readonly kind: 'approval_ended' };

/**
 * Opens a connection from an approval (spec 4.2, spec 5.3). An app has at most one active
 * connection. If there already is one, its `user` becomes the member of this approval.
 */
export async function openConnection(
  tx: Transaction,
  request: OpenConnectionRequest,
  now: Date,
  by: Actor,
): Promise<OpenConnectionResult> {
  const { shopId, clientId, approvalId, accountId } = request;
  // Locks the approval before the connection, as ending a connection does, to avoid deadlocks.
  if ((await tx.one(lockLiveApproval, [shopId, approvalId])) === undefined) {
    return { kind: 'approval_ended' };
  }
  const row = await tx.one(upsertConnection, [shopId, newId(), clientId, accountId, now]);
  const connection = await findActiveConnection(tx, shopId, clientId);
  if (row === undefined || connection === undefined) throw new Error('no connection was opened');
  await announce(tx, 'access', shopId);
  // A repeated call changes nothing and leaves no audit entry.
  if (row.isCreated) {
    const subject = { kind: 'app', id: clientId, name: null } as const;
    const details = { connection: connection.id, member: connection.user.name };
    await recordAudit(tx, shopId, by, { action: 'connection.opened', subject, details }, now);
  }
  return { kind: row.isCreated ? 'created' : 'already_active', connection };
}

/**
 * Ends the app's connection to the shop and all its approvals: codes and refresh tokens are
 * removed, and calls with access tokens get `connection_revoked` until the tokens expire. Returns
 * false if no connection was active; the approvals end even then.
 */
export async function endConnection(
  tx: Transaction,
  shopId: string,
  clientId: string,
  reason: ConnectionEnd,
  now: Date,
  by: Actor,
): Promise<boolean> {
  return (await endActive(tx, shopId, clientId, reason, now, by)) !== null;
}

/** Returns the id of the ended connection, or null. */
async function endActive(
  tx: Transaction,
  shopId: string,
  clientId: string,
  reason: ConnectionEnd,
  now: Date,
  by: Actor,
): Promise<string | null> {
  // Lock order everywhere: approvals, then the connection.
  let approvals = await endApprovals(tx, shopId, clientId, now);
  const ended = await tx.one(revokeConnection, [shopId, clientId, reason, now]);
  // Approvals given between the two statements used the connection that just ended. End them too.
  approvals += await endApprovals(tx, shopId, clientId, now);
  await announce(tx, 'access', shopId);
  const subject = { kind: 'app', id: clientId, name: null } as const;
  if (ended !== undefined) {
    const details = { connection: ended.id, reason, approvals };
    await recordAudit(tx, shopId, by, { action: 'connection.ended', subject, details }, now);
  } else if (approvals > 0) {
    const details = { reason, approvals };
    await recordAudit(tx, shopId, by, { action: 'approval.ended', subject, details }, now);
  }
  return ended?.id ?? null;
}

/** Does not end a newer connection of the app, or approvals given after this one ended. */
export async function endConnectionById(
  tx: Transaction,
  shopId: string,
  connectionId: string,
  reason: ConnectionEnd,
  now: Date,
  by: Actor,
): Promise<'ended' | 'ended_before' | 'not_found'> {
  const found = await tx.one(selectConnection, [shopId, connectionId]);
  if (found === undefined) return 'not_found';
  if (found.status === 'revoked') return 'ended_before';
  const endedId = await endActive(tx, shopId, found.clientId, reason, now, by);
  // The connection ended concurrently, so a newer one may have been ended instead. The error rolls
  // that back, and the retry finds that this connection has ended. The row cannot be locked in
  // advance, because approvals come first in the lock order.
  if (endedId !== connectionId) throw new StaleRead('the connection ended concurrently');
  return 'ended';
}

/** Called after an app has revoked a token (RFC 7009, decision 0003). */
export async function endConnectionIfUnused(
  tx: Transaction,
  shopId: string,
  clientId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  // If two revocations run concurrently, the second waits here until the first has committed.
  if ((await tx.one(lockConnection, [shopId, clientId])) === undefined) return false;
  if ((await tx.one(selectLiveApproval, [shopId, now, clientId])) !== undefined) return false;
  return await endConnection(tx, shopId, clientId, 'token_revoked', now, by);
}

export async function removeApp(
  tx: Transaction,
  clientId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  const app = await findApp(tx, clientId);
  if (app === undefined || app.removedAt !== null) return false;
  await endConnection(tx, app.shopId, clientId, 'app_deleted', now, by);
  return await markAppRemoved(tx, app.shopId, clientId, now, by);
}

export async function findActiveConnection(
  db: Queryable,
  shopId: string,
  clientId: string,
): Promise<Connection | undefined> {
  const row = await db.one(selectActiveConnection, [shopId, clientId]);
  if (row === undefined) return undefined;
  return {
    id: row.id,
    shop: { id: row.shopId, name: row.shopName, slug: row.shopSlug },
    user: { id: row.accountId, name: row.accountName, email: row.accountEmail },
    clientId: row.clientId,
    connectedAt: row.connectedAt,
  };
}

interface ConnectionRow {
  readonly id: string;
  readonly clientId: string;
  readonly connectedAt: Date;
  readonly shopId: string;
  readonly shopName: string;
  readonly shopSlug: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly accountEmail: string;
}

export const lockLiveApproval = statement<{ readonly approvalId: string }>(
  'lock_live_approval',
  `select approval_id as "approvalId" from approval
    where shop_id = $1 and approval_id = $2 and ended_at is null
      for share`,
);

export const upsertConnection = statement<{ readonly isCreated: boolean }>(
  'upsert_connection',
  `insert into connection (shop_id, connection_id, client_id, account_id, status, connected_at)
   values ($1, $2, $3, $4, 'active', $5)
   on conflict (shop_id, client_id) where status = 'active'
     do update set account_id = excluded.account_id
   returning connection_id = $2 as "isCreated"`,
);

export const revokeConnection = statement<{ readonly id: string }>(
  'revoke_connection',
  `update connection set status = 'revoked', ended_at = $4, end_reason = $3
    where shop_id = $1 and client_id = $2 and status = 'active'
   returning connection_id as id`,
);

export const selectConnection = statement<{
  readonly clientId: string;
  readonly status: 'active' | 'revoked';
}>(
  'select_connection',
  `select client_id as "clientId", status from connection where shop_id = $1 and connection_id = $2`,
);

export const lockConnection = statement<{ readonly id: string }>(
  'lock_connection',
  `select connection_id as id from connection
    where shop_id = $1 and client_id = $2 and status = 'active'
      for update`,
);

export const selectActiveConnection = statement<ConnectionRow>(
  'select_active_connection',
  `select c.connection_id as id, c.client_id as "clientId", c.connected_at as "connectedAt",
          s.shop_id as "shopId", s.name as "shopName", s.slug as "shopSlug",
          a.account_id as "accountId", a.name as "accountName", a.email as "accountEmail"
     from connection c
     join shop s on s.shop_id = c.shop_id
     join account a on a.account_id = c.account_id
    where c.shop_id = $1 and c.client_id = $2 and c.status = 'active'`,
);
