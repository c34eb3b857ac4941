import { LAG_IN_CHANGES } from '../connections/feed-read-rows.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { IS_APPROVED } from '../approvals/approval-in-force.ts';
import type { AttemptError } from './attempt.ts';
import type { RemovalReason } from './registration.ts';

export interface AppOverview {
  readonly clientId: string;
  readonly name: string;
  readonly isEnabled: boolean;
  /** The number of the app's secrets: more than one during a rotation. */
  readonly secrets: number;
  readonly newestSecretAt: Date | null;
  /** Null while the app is not connected. */
  readonly connection: ConnectionOverview | null;
}

export interface ConnectionOverview {
  readonly connectionId: string;
  readonly connectedAt: Date;
  /** False if no approval is valid: reads are refused until a member approves the app again. */
  readonly isApproved: boolean;
  /** Number of changes in the shop's feed that the app has not read. */
  readonly lagChanges: number;
  readonly lastReadAt: Date | null;
  readonly hasWebhook: boolean;
  /** The time until which the previous webhook secret also signs, or null. */
  readonly previousSecretUntil: Date | null;
  /** Null, like `failure`, if the webhook is not failing. */
  readonly failingSince: Date | null;
  readonly failure: NewestFailure | null;
  /** Null if the connection has a webhook or never had one. */
  readonly removed: { readonly at: Date; readonly reason: RemovalReason } | null;
}

interface NewestFailure {
  readonly error: AttemptError | null;
  readonly status: number | null;
  /** A time in the past means that the attempt is due. */
  readonly nextAttemptAt: Date | null;
}

export interface AppOverviewPage {
  /** Part of the name, ignoring case and width. Null lists all apps. */
  readonly name: string | null;
  readonly after: string | null;
  readonly limit: number;
}

interface AppOverviewRow extends Omit<AppOverview, 'connection'>, NewestFailure {
  readonly connectionId: string | null;
  readonly connectedAt: Date | null;
  readonly isApproved: boolean;
  readonly lagChanges: number;
  readonly lastReadAt: Date | null;
  readonly hasWebhook: boolean;
  readonly previousSecretUntil: Date | null;
  readonly failingSince: Date | null;
  readonly removedAt: Date | null;
  readonly removalReason: RemovalReason | null;
}

// The page is limited before the joins. Sorting by name is cheap, because a shop has at most a few
// hundred apps. The attempt log is read only for failing webhooks.
export const selectAppOverviews = statement<AppOverviewRow>(
  'select_app_overviews',
  `with page as materialized (
     select a.client_id, a.name, a.scopes, a.is_enabled, lower(normalize(a.name, nfkc)) collate "C" as folded
       from app a
      where a.shop_id = $1 and a.removed_at is null
        and ($3::text is null or strpos(lower(normalize(a.name, nfkc)), lower(normalize($3::text, nfkc))) > 0)
        and ($4::text is null or (lower(normalize(a.name, nfkc)) collate "C", a.client_id) > (
          select lower(normalize(b.name, nfkc)) collate "C", b.client_id
            from app b where b.shop_id = $1 and b.client_id = $4))
      order by folded, a.client_id limit $5
   )
   select a.client_id as "clientId", a.name, a.is_enabled as "isEnabled",
          secret.live as secrets, secret.newest as "newestSecretAt",
          c.connection_id as "connectionId", c.connected_at as "connectedAt",
          c.connection_id is not null and ${IS_APPROVED} as "isApproved",
          ${LAG_IN_CHANGES} as "lagChanges",
          r.read_at as "lastReadAt", w.connection_id is not null and w.removed_at is null as "hasWebhook",
          w.previous_until as "previousSecretUntil",
          case when w.removed_at is null then w.failing_since end as "failingSince",
          newest.error, newest.status, least(w.next_attempt_at, w.early_at) as "nextAttemptAt",
          w.removed_at as "removedAt", w.removal_reason as "removalReason"
     from page a
    cross join lateral (
      select count(*)::int as live, max(s.created_at) as newest from app_secret s
       where s.shop_id = $1 and s.client_id = a.client_id
    ) secret
     left join connection c
       on c.shop_id = $1 and c.client_id = a.client_id and c.status = 'active'
     left join feed_head head on head.shop_id = $1 and c.connection_id is not null
     left join feed_read r on r.shop_id = $1 and r.connection_id = c.connection_id
     left join webhook w on w.shop_id = $1 and w.connection_id = c.connection_id
     left join lateral (
      select t.error, t.status from webhook_attempt t
       where w.failures > 0 and w.removed_at is null
         and t.shop_id = $1 and t.connection_id = w.connection_id
         and (t.status is not null or t.error is not null)
       order by t.number desc limit 1
    ) newest on true
    order by a.folded, a.client_id`,
);

export async function listAppOverviews(
  db: Queryable,
  shopId: string,
  { name, after, limit }: AppOverviewPage,
  now: Date,
): Promise<readonly AppOverview[]> {
  const rows = await db.query(selectAppOverviews, [shopId, now, name, after, limit]);
  return rows.map((row) => {
    const { clientId, name: shown, isEnabled, secrets, newestSecretAt } = row;
    return {
      clientId,
      name: shown,
      isEnabled,
      secrets,
      newestSecretAt,
      connection: toConnectionOverview(row),
    };
  });
}

function toConnectionOverview(row: AppOverviewRow): ConnectionOverview | null {
  const { connectionId, connectedAt, isApproved, lagChanges, lastReadAt, hasWebhook } = row;
  if (connectionId === null || connectedAt === null) return null;
  const { previousSecretUntil, failingSince, error, status, nextAttemptAt } = row;
  const { removedAt, removalReason: reason } = row;
  return {
    connectionId,
    connectedAt,
    isApproved,
    lagChanges,
    lastReadAt,
    hasWebhook,
    previousSecretUntil,
    failingSince,
    failure: failingSince === null ? null : { error, status, nextAttemptAt },
    removed: removedAt === null || reason === null ? null : { at: removedAt, reason },
  };
}
