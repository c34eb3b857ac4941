import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { IS_APPROVED } from '../grants/approval-in-force.ts';
import type { AttemptError } from './attempt.ts';
import type { RemovalReason } from './registration.ts';

/** Apps that are looked at. A shop has tens, a large one some hundreds. */
const APPS_MAX = 1_000;

/** What may want somebody's care about an app, and how it does. */
export interface AppCare {
  readonly clientId: string;
  readonly name: string;
  readonly isEnabled: boolean;
  /** More than one: a change-over that is not done. */
  readonly secrets: number;
  /** When the newest of them was made. */
  readonly newestSecretAt: Date | null;
  /** Null while it is not connected. */
  readonly connection: ConnectionCare | null;
}

/** The same of its connection. */
export interface ConnectionCare {
  readonly connectionId: string;
  readonly connectedAt: Date;
  /** False when no approval opens anything to it any more: every read is refused until a member approves it again. */
  readonly isApproved: boolean;
  readonly lagChanges: number;
  readonly lastReadAt: Date | null;
  readonly hasWebhook: boolean;
  /** Until when the secret before the newest still signs; null when it does not. */
  readonly previousSecretUntil: Date | null;
  /** Null while its webhook does not fail. */
  readonly failing: FailingCare | null;
  /** Null while it has a webhook, or never had one. */
  readonly removed: { readonly at: Date; readonly reason: RemovalReason } | null;
}

interface FailingCare {
  readonly since: Date;
  /** What the newest attempt came to: null while it is under way. */
  readonly error: AttemptError | null;
  /** The status of its answer, or null. */
  readonly status: number | null;
  /** One that has passed means at once. */
  readonly nextAttemptAt: Date | null;
}

interface CareRow {
  readonly clientId: string;
  readonly name: string;
  readonly isEnabled: boolean;
  readonly secrets: number;
  readonly newestSecretAt: Date | null;
  readonly connectionId: string | null;
  readonly connectedAt: Date | null;
  readonly isApproved: boolean;
  readonly lagChanges: number;
  readonly lastReadAt: Date | null;
  readonly hasWebhook: boolean;
  readonly previousUntil: Date | null;
  readonly failingSince: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly error: AttemptError | null;
  readonly attemptStatus: number | null;
  readonly removedAt: Date | null;
  readonly removalReason: RemovalReason | null;
}

// The log is looked into only where a webhook fails.
export const readAppCareRows = statement<CareRow>(
  'read_app_care',
  `select a.client_id as "clientId", a.name, a.is_enabled as "isEnabled",
          secret.live as secrets, secret.newest as "newestSecretAt",
          c.connection_id as "connectionId", c.connected_at as "connectedAt",
          c.connection_id is not null and ${IS_APPROVED} as "isApproved",
          case when r.epoch = head.epoch and r.seq <= head.seq then head.seq - r.seq
            else coalesce(head.seq, 0) end as "lagChanges",
          r.read_at as "lastReadAt", w.connection_id is not null and w.removed_at is null as "hasWebhook",
          w.previous_until as "previousUntil", w.failing_since as "failingSince",
          least(w.next_attempt_at, w.early_at) as "nextAttemptAt",
          newest.error, newest.status as "attemptStatus",
          w.removed_at as "removedAt", w.removal_reason as "removalReason"
     from app a
    cross join lateral (
      select count(*)::int as live, max(s.created_at) as newest from app_secret s
       where s.shop_id = a.shop_id and s.client_id = a.client_id
    ) secret
     left join connection c
       on c.shop_id = a.shop_id and c.client_id = a.client_id and c.status = 'active'
     left join feed_head head on head.shop_id = c.shop_id
     left join feed_read r on r.shop_id = c.shop_id and r.connection_id = c.connection_id
     left join webhook w on w.shop_id = c.shop_id and w.connection_id = c.connection_id
     left join lateral (
      select t.error, t.status from webhook_attempt t
       where w.failures > 0 and w.removed_at is null
         and t.shop_id = w.shop_id and t.connection_id = w.connection_id
         and (t.status is not null or t.error is not null)
       order by t.number desc limit 1
    ) newest on true
    where a.shop_id = $1 and a.removed_at is null
    order by a.name, a.client_id limit $3`,
);

/** The apps of a shop by name, without those that were removed, with what may want care; at most 1,000. */
export async function readAppCare(
  db: Queryable,
  shopId: string,
  now: Date,
): Promise<readonly AppCare[]> {
  const rows = await db.query(readAppCareRows, [shopId, now, APPS_MAX]);
  return rows.map((row) => {
    const { clientId, name, isEnabled, secrets, newestSecretAt } = row;
    return { clientId, name, isEnabled, secrets, newestSecretAt, connection: connectionOf(row) };
  });
}

function connectionOf(row: CareRow): ConnectionCare | null {
  const { connectionId, connectedAt, isApproved, lagChanges, lastReadAt, hasWebhook } = row;
  if (connectionId === null || connectedAt === null) return null;
  const { removedAt, removalReason: reason } = row;
  return {
    connectionId,
    connectedAt,
    isApproved,
    lagChanges,
    lastReadAt,
    hasWebhook,
    previousSecretUntil: row.previousUntil,
    failing: hasWebhook ? failingOf(row) : null,
    removed: removedAt === null || reason === null ? null : { at: removedAt, reason },
  };
}

function failingOf(row: CareRow): FailingCare | null {
  const { failingSince: since, error, attemptStatus: status, nextAttemptAt } = row;
  return since === null ? null : { since, error, status, nextAttemptAt };
}
