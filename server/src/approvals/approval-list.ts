import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type ApprovalState, HAS_TOKENS } from './approval-in-force.ts';
import type { ApprovalEnd } from './approval.ts';

export interface ListedApproval extends ApprovalState {
  readonly id: string;
  readonly app: { readonly clientId: string; readonly name: string; readonly isRemoved: boolean };
  readonly member: {
    readonly accountId: string;
    readonly name: string;
    readonly isActive: boolean;
    readonly mayReadPurchases: boolean;
  };
  readonly createdAt: Date;
  /** How often a stored token response was sent again (decision 0007). */
  readonly repeats: number;
  readonly lastRepeatAt: Date | null;
  readonly endReason: ApprovalEnd | null;
}

export interface ApprovalPage {
  /** Lists only the approvals of this app; null lists those of all apps. */
  readonly clientId: string | null;
  /** The id of the last approval on the previous page; null starts with the newest approval. */
  readonly before: string | null;
  readonly limit: number;
}

interface Row extends Omit<ListedApproval, 'app' | 'member'> {
  readonly clientId: string;
  readonly appName: string;
  readonly isRemoved: boolean;
  readonly accountId: string;
  readonly memberName: string;
  readonly isActive: boolean;
  readonly mayReadPurchases: boolean;
}

/** The columns of approval `p` with its member `m` and account `u`, in shop `$1` at `$2`. */
const COLUMNS = `p.approval_id as id, p.client_id as "clientId", app.name as "appName",
          app.removed_at is not null as "isRemoved", p.account_id as "accountId", u.name as "memberName",
          m.is_active as "isActive", 'purchases.read' = any(m.permissions) as "mayReadPurchases",
          ${HAS_TOKENS} as "hasTokens", p.scopes, p.created_at as "createdAt",
          p.repeats, p.last_repeat_at as "lastRepeatAt",
          p.ended_at as "endedAt", p.end_reason as "endReason"`;
const JOINS = `join app on app.shop_id = $1 and app.client_id = p.client_id
     join member m on m.shop_id = $1 and m.account_id = p.account_id
     join account u on u.account_id = p.account_id`;

export const selectApprovals = statement<Row>(
  'select_approvals',
  `with page as materialized (
     select * from approval a
      where a.shop_id = $1 and ($3::text is null or a.client_id = $3)
        and ($4::uuid is null or (a.created_at, a.approval_id) < (
          select b.created_at, b.approval_id from approval b
           where b.shop_id = $1 and b.approval_id = $4))
      order by a.created_at desc, a.approval_id desc limit $5
   )
   select ${COLUMNS}
     from page p
     ${JOINS}
    order by p.created_at desc, p.approval_id desc`,
);

/** Selects the approvals that existed during a connection, because each of them could use it. */
export const selectApprovalsOfConnection = statement<Row>(
  'select_approvals_of_connection',
  `select ${COLUMNS}
     from connection c
     join approval p on p.shop_id = c.shop_id and p.client_id = c.client_id
      and p.created_at <= coalesce(c.ended_at, 'infinity')
      and coalesce(p.ended_at, 'infinity') >= c.connected_at
     ${JOINS}
    where c.shop_id = $1 and c.connection_id = $3
    order by p.created_at desc, p.approval_id desc limit $4`,
);

export async function listApprovals(
  db: Queryable,
  shopId: string,
  { clientId, before, limit }: ApprovalPage,
  now: Date,
): Promise<ListedApproval[]> {
  const rows = await db.query(selectApprovals, [shopId, now, clientId, before, limit]);
  return rows.map((row) => toListedApproval(row));
}

/** Newest first. The approvals in force determine what the connection may do. */
export async function listApprovalsOfConnection(
  db: Queryable,
  shopId: string,
  connectionId: string,
  limit: number,
  now: Date,
): Promise<ListedApproval[]> {
  const values = [shopId, now, connectionId, limit];
  const rows = await db.query(selectApprovalsOfConnection, values);
  return rows.map((row) => toListedApproval(row));
}

function toListedApproval({
  clientId,
  appName,
  isRemoved,
  accountId,
  memberName,
  isActive,
  mayReadPurchases,
  ...approval
}: Row): ListedApproval {
  return {
    ...approval,
    app: { clientId, name: appName, isRemoved },
    member: { accountId, name: memberName, isActive, mayReadPurchases },
  };
}
