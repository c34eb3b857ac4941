import type { Scope } from '../apps/scope.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { ApprovalEnd } from './approval.ts';

/** An approval as its shop is shown it: a member has approved an app with some scopes. */
export interface ShownApproval {
  readonly id: string;
  readonly app: { readonly clientId: string; readonly name: string; readonly isRemoved: boolean };
  readonly member: {
    readonly accountId: string;
    readonly name: string;
    readonly isActive: boolean;
  };
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly endReason: ApprovalEnd | null;
}

/** A page of a shop's approvals. */
export interface ApprovalPage {
  /** Null: of all apps. */
  readonly clientId: string | null;
  /** The approval behind which the page begins; null: from the newest. */
  readonly before: string | null;
  readonly limit: number;
}

interface Row {
  readonly id: string;
  readonly clientId: string;
  readonly appName: string;
  readonly isRemoved: boolean;
  readonly accountId: string;
  readonly memberName: string;
  readonly isActive: boolean;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly endReason: ApprovalEnd | null;
}

export const selectApprovals = statement<Row>(
  'select_approvals',
  `with page as materialized (
     select * from approval a
      where a.shop_id = $1 and ($2::text is null or a.client_id = $2)
        and ($3::uuid is null or (a.created_at, a.approval_id) < (
          select b.created_at, b.approval_id from approval b
           where b.shop_id = $1 and b.approval_id = $3))
      order by a.created_at desc, a.approval_id desc limit $4
   )
   select page.approval_id as id, page.client_id as "clientId", app.name as "appName",
          app.removed_at is not null as "isRemoved", page.account_id as "accountId", u.name as "memberName",
          m.is_active as "isActive", page.scopes, page.created_at as "createdAt",
          page.ended_at as "endedAt", page.end_reason as "endReason"
     from page
     join app on app.shop_id = page.shop_id and app.client_id = page.client_id
     join member m on m.shop_id = page.shop_id and m.account_id = page.account_id
     join account u on u.account_id = page.account_id
    order by page.created_at desc, page.approval_id desc`,
);

/** Approvals that lived while a connection did: each of them, as long as it was not ended, could use it. */
export const selectApprovalsOfConnection = statement<Row>(
  'select_approvals_of_connection',
  `select a.approval_id as id, a.client_id as "clientId", app.name as "appName",
          app.removed_at is not null as "isRemoved", a.account_id as "accountId", u.name as "memberName",
          m.is_active as "isActive", a.scopes, a.created_at as "createdAt",
          a.ended_at as "endedAt", a.end_reason as "endReason"
     from connection c
     join approval a on a.shop_id = c.shop_id and a.client_id = c.client_id
      and a.created_at <= coalesce(c.ended_at, 'infinity')
      and coalesce(a.ended_at, 'infinity') >= c.connected_at
     join app on app.shop_id = a.shop_id and app.client_id = a.client_id
     join member m on m.shop_id = a.shop_id and m.account_id = a.account_id
     join account u on u.account_id = a.account_id
    where c.shop_id = $1 and c.connection_id = $2
    order by a.created_at desc, a.approval_id desc limit $3`,
);

/** Approvals of a shop, or of one of its apps, the newest first; ended ones too. */
export async function listApprovals(
  db: Queryable,
  shopId: string,
  { clientId, before, limit }: ApprovalPage,
): Promise<ShownApproval[]> {
  const rows = await db.query(selectApprovals, [shopId, clientId, before, limit]);
  return rows.map((row) => toShownApproval(row));
}

/** The newest approvals behind a connection, at most `limit`; what it may do is what those that live may do. */
export async function listApprovalsOfConnection(
  db: Queryable,
  shopId: string,
  connectionId: string,
  limit: number,
): Promise<ShownApproval[]> {
  const rows = await db.query(selectApprovalsOfConnection, [shopId, connectionId, limit]);
  return rows.map((row) => toShownApproval(row));
}

function toShownApproval(row: Row): ShownApproval {
  const { id, clientId, appName, isRemoved, accountId, memberName, isActive } = row;
  const { scopes, createdAt, endedAt, endReason } = row;
  return {
    id,
    app: { clientId, name: appName, isRemoved },
    member: { accountId, name: memberName, isActive },
    scopes,
    createdAt,
    endedAt,
    endReason,
  };
}
