import type { Database } from '../database/database.ts';
import { sharedRead } from '../database/statement.ts';

/** All state that decides whether an access token may make a call (spec 5.5), in one snapshot. */
export interface Access {
  readonly shopId: string;
  readonly clientId: string;
  readonly approvalId: string;
  /** The account of the approving member. */
  readonly accountId: string;
  /** The token's scopes without those that the app has since lost (decision 0003). */
  readonly scopes: readonly string[];
  /** The resource that the token was issued for (RFC 8707). */
  readonly resource: string | null;
  /** The token is invalid from this instant. */
  readonly expiresAt: Date;
  /** True if the connection has ended: calls get `connection_revoked` until the token expires. */
  readonly isApprovalEnded: boolean;
  readonly app: {
    readonly isEnabled: boolean;
    readonly isRemoved: boolean;
    readonly sharesCost: boolean;
    readonly scopes: readonly string[];
  };
  /** Null when the approving account is no longer a member of the shop. */
  readonly member: {
    readonly isActive: boolean;
    readonly permissions: readonly string[];
  } | null;
  /** The active connection of the app and its shop. */
  readonly connection: AccessConnection | null;
}

/** All fields of GET /connection, so that this endpoint needs no further query. */
export interface AccessConnection {
  readonly id: string;
  readonly shop: { readonly id: string; readonly name: string; readonly slug: string };
  /** The member on whose behalf the app last sent POST /connection. */
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly clientId: string;
  readonly connectedAt: Date;
}

/**
 * Undefined if the token is unknown, expired at `now`, or belongs to a revoked approval (401). The
 * approval is joined, so that a token written concurrently with the revocation is refused too.
 */
export async function readAccess(
  db: Database,
  { shopId, hash }: { readonly shopId: string; readonly hash: string },
  now: Date,
): Promise<Access | undefined> {
  const row = await db.one(selectAccess, [shopId, hash]);
  if (row === undefined || row.expiresAt.getTime() <= now.getTime()) return undefined;
  if (row.endReason !== null && row.endReason !== 'connection_ended') return undefined;
  const { clientId, approvalId, accountId, scope, resource, expiresAt } = row;
  const { isEnabled, isRemoved, sharesCost, appScopes: allowed, isActive, permissions } = row;
  return {
    shopId,
    clientId,
    approvalId,
    accountId,
    resource,
    expiresAt,
    scopes: (scope ?? '').split(' ').filter((word) => allowed.includes(word)),
    isApprovalEnded: row.endReason !== null,
    app: { isEnabled, isRemoved, sharesCost, scopes: allowed },
    member: isActive === null || permissions === null ? null : { isActive, permissions },
    connection: toConnection(row),
  };
}

interface AccessRow extends Pick<
  Access,
  'shopId' | 'clientId' | 'approvalId' | 'accountId' | 'resource' | 'expiresAt'
> {
  readonly scope: string | null;
  readonly endReason: string | null;
  readonly isEnabled: boolean;
  readonly isRemoved: boolean;
  readonly sharesCost: boolean;
  readonly appScopes: readonly string[];
  readonly isActive: boolean | null;
  readonly permissions: readonly string[] | null;
  readonly shopName: string;
  readonly shopSlug: string;
  readonly connectionId: string | null;
  readonly connectedAt: Date | null;
  readonly userId: string | null;
  readonly userName: string | null;
  readonly userEmail: string | null;
}

function toConnection(row: AccessRow): AccessConnection | null {
  const { connectionId, connectedAt, userId, userName, userEmail } = row;
  if (connectionId === null || connectedAt === null) return null;
  if (userId === null || userName === null || userEmail === null) return null;
  return {
    id: connectionId,
    shop: { id: row.shopId, name: row.shopName, slug: row.shopSlug },
    user: { id: userId, name: userName, email: userEmail },
    clientId: row.clientId,
    connectedAt,
  };
}

export const selectAccess = sharedRead<AccessRow>(
  'select_access',
  `select asked, p.shop_id as "shopId", p.client_id as "clientId", p.approval_id as "approvalId",
          p.account_id as "accountId", t.payload->>'scope' as scope, t.payload->>'aud' as resource,
          t.expires_at as "expiresAt", p.end_reason as "endReason",
          a.is_enabled as "isEnabled", a.removed_at is not null as "isRemoved",
          a.shares_cost as "sharesCost", a.scopes as "appScopes",
          m.is_active as "isActive", m.permissions, s.name as "shopName", s.slug as "shopSlug",
          c.connection_id as "connectionId", c.connected_at as "connectedAt",
          u.account_id as "userId", u.name as "userName", u.email as "userEmail"
     from unnest((select $1::uuid[]), (select $2::text[])) with ordinality
          as ask (shop_id, id, asked)
     join oauth_artifact t on t.shop_id = ask.shop_id and t.model = 'AccessToken' and t.id = ask.id
      and t.expires_at is not null
     join approval p on p.shop_id = ask.shop_id and p.grant_hash = t.grant_hash
     join app a on a.shop_id = ask.shop_id and a.client_id = p.client_id
     join shop s on s.shop_id = ask.shop_id
     left join member m on m.shop_id = ask.shop_id and m.account_id = p.account_id
     left join connection c
       on c.shop_id = ask.shop_id and c.client_id = p.client_id and c.status = 'active'
     left join account u on u.account_id = c.account_id`,
);
