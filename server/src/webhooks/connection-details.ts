import type { ConnectionEnd } from '../connections/connection.ts';
import { LAG_IN_CHANGES } from '../connections/feed-read-rows.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type AttemptRow, type LoggedAttempt, toLoggedAttempt } from './attempt-log.ts';
import type { RemovalReason } from './registration.ts';

/** The app itself sees only active connections (spec 3.1). */
export const CONNECTION_STATUSES = ['active', 'revoked'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/**
 * `idle`: nothing to send. `due`: an event is being sent or will be sent immediately. `retrying`:
 * the last attempt failed; the next is at `nextAttemptAt`. `paused`: the app is disabled.
 */
export const WEBHOOK_STATES = ['idle', 'due', 'retrying', 'paused'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** A connection as its shop sees it: with the state of its webhook but without any secret. */
export interface ConnectionDetails {
  readonly id: string;
  readonly status: ConnectionStatus;
  readonly app: { readonly clientId: string; readonly name: string; readonly isEnabled: boolean };
  /** The member whose approval was used for the latest `POST /connection`. */
  readonly user: { readonly id: string; readonly name: string; readonly email: string };
  readonly connectedAt: Date;
  readonly endedAt: Date | null;
  readonly endReason: ConnectionEnd | null;
  readonly webhook: WebhookDetails | null;
  readonly removedWebhook: {
    readonly url: string;
    readonly removedAt: Date;
    readonly reason: RemovalReason;
  } | null;
  readonly lag: Lag;
}

interface WebhookDetails {
  readonly url: string;
  readonly createdAt: Date;
  readonly state: WebhookState;
  readonly failingSince: Date | null;
  readonly failures: number;
  /** Null when no attempt is planned. A time in the past means that the attempt is due. */
  readonly nextAttemptAt: Date | null;
  readonly lastAttempt: LoggedAttempt | null;
}

export interface Lag {
  /** Changes after the cursor that the app last used; all changes without a valid cursor. */
  readonly changes: number;
  readonly lastReadAt: Date | null;
  readonly minutesSinceRead: number | null;
}

interface ConnectionRow {
  readonly id: string;
  readonly status: ConnectionStatus;
  readonly clientId: string;
  readonly appName: string;
  readonly isEnabled: boolean;
  readonly userId: string;
  readonly userName: string;
  readonly userEmail: string;
  readonly connectedAt: Date;
  readonly endedAt: Date | null;
  readonly endReason: ConnectionEnd | null;
  readonly lagChanges: number;
  readonly readAt: Date | null;
  /** Null, like the members below, if the connection never had a webhook. */
  readonly url: string | null;
  readonly createdAt: Date | null;
  readonly removedAt: Date | null;
  readonly removalReason: RemovalReason | null;
  readonly failingSince: Date | null;
  readonly failures: number | null;
  readonly nextAttemptAt: Date | null;
  readonly isDue: boolean | null;
}

/** All members are null when the log is empty. */
interface NewestAttempt {
  readonly number: number | null;
  readonly eventId: string | null;
  readonly attempt: number | null;
  readonly startedAt: Date | null;
  readonly attemptStatus: number | null;
  readonly error: AttemptRow['error'];
  readonly latencyMs: number | null;
  readonly isLeased: boolean;
}

// A null $2 (cursor), $3 (status) or $4 (id) does not filter. A shop has tens of connections.
export const selectConnectionDetails = statement<ConnectionRow & NewestAttempt>(
  'select_connection_details',
  `select c.connection_id as id, c.status, app.client_id as "clientId", app.name as "appName",
          app.is_enabled and app.removed_at is null as "isEnabled",
          u.account_id as "userId", u.name as "userName", u.email as "userEmail",
          c.connected_at as "connectedAt", c.ended_at as "endedAt", c.end_reason as "endReason",
          ${LAG_IN_CHANGES} as "lagChanges",
          r.read_at as "readAt", w.url, w.created_at as "createdAt", w.removed_at as "removedAt",
          w.removal_reason as "removalReason", w.failing_since as "failingSince", w.failures,
          case when w.next_attempt_at is null then coalesce(head.changed_at, w.created_at)
            else least(w.next_attempt_at, w.early_at) end as "nextAttemptAt",
          w.event_id is not null or coalesce(head.epoch, 1) <> w.acknowledged_epoch
            or coalesce(head.seq, 0) > w.acknowledged_seq as "isDue",
          a.number, a.event_id as "eventId", a.attempt, a.started_at as "startedAt", a.status as "attemptStatus",
          a.error, a.latency_ms as "latencyMs",
          coalesce(w.leased_until > clock_timestamp() and w.attempts_made = a.number, false) as "isLeased"
     from connection c
     join app on app.shop_id = c.shop_id and app.client_id = c.client_id
     join account u on u.account_id = c.account_id
     left join feed_head head on head.shop_id = c.shop_id
     left join feed_read r on r.shop_id = c.shop_id and r.connection_id = c.connection_id
     left join webhook w on w.shop_id = c.shop_id and w.connection_id = c.connection_id
     left join lateral (
       select number, event_id, attempt, started_at, status, error, latency_ms
         from webhook_attempt newest
        where newest.shop_id = c.shop_id and newest.connection_id = c.connection_id
        order by newest.number desc limit 1
     ) a on true
    where c.shop_id = $1 and ($2::uuid is null or c.connection_id > $2)
      and ($3::text is null or c.status = $3) and ($4::uuid is null or c.connection_id = $4)
    order by c.connection_id limit $5`,
);

export interface ConnectionPage {
  readonly afterId: string | null;
  readonly limit: number;
  readonly status: ConnectionStatus | null;
}

export async function listConnections(
  db: Queryable,
  shopId: string,
  { afterId, limit, status }: ConnectionPage,
  now: Date,
): Promise<ConnectionDetails[]> {
  const rows = await db.query(selectConnectionDetails, [shopId, afterId, status, null, limit]);
  return rows.map((row) => toConnectionDetails(row, now));
}

export async function findConnection(
  db: Queryable,
  shopId: string,
  id: string,
  now: Date,
): Promise<ConnectionDetails | undefined> {
  const row = await db.one(selectConnectionDetails, [shopId, null, null, id, 1]);
  return row === undefined ? undefined : toConnectionDetails(row, now);
}

function toConnectionDetails(row: ConnectionRow & NewestAttempt, now: Date): ConnectionDetails {
  return {
    id: row.id,
    status: row.status,
    app: { clientId: row.clientId, name: row.appName, isEnabled: row.isEnabled },
    user: { id: row.userId, name: row.userName, email: row.userEmail },
    connectedAt: row.connectedAt,
    endedAt: row.endedAt,
    endReason: row.endReason,
    webhook: toWebhook(row),
    removedWebhook: toRemovedWebhook(row),
    lag: {
      changes: row.lagChanges,
      lastReadAt: row.readAt,
      minutesSinceRead: row.readAt === null ? null : minutesBetween(row.readAt, now),
    },
  };
}

function toWebhook(row: ConnectionRow & NewestAttempt): WebhookDetails | null {
  const { url, createdAt, failures } = row;
  if (row.status !== 'active' || row.removedAt !== null) return null;
  if (url === null || createdAt === null || failures === null) return null;
  const state = stateOf(row, failures);
  const isScheduled = state === 'due' || state === 'retrying';
  return {
    url,
    createdAt,
    state,
    failingSince: row.failingSince,
    failures,
    nextAttemptAt: isScheduled ? row.nextAttemptAt : null,
    lastAttempt: toLastAttempt(row),
  };
}

function stateOf({ isEnabled, isDue }: ConnectionRow, failures: number): WebhookState {
  if (!isEnabled) return 'paused';
  if (failures > 0) return 'retrying';
  return isDue === true ? 'due' : 'idle';
}

/** The webhook of an ended connection counts as removed, even before its row is updated. */
function toRemovedWebhook(row: ConnectionRow): ConnectionDetails['removedWebhook'] {
  const removedAt = row.removedAt ?? row.endedAt;
  if (row.url === null || removedAt === null) return null;
  return { url: row.url, removedAt, reason: row.removalReason ?? 'connection_ended' };
}

function toLastAttempt(row: NewestAttempt): LoggedAttempt | null {
  const { number, eventId, attempt, startedAt, attemptStatus, error, latencyMs, isLeased } = row;
  if (number === null || eventId === null || attempt === null || startedAt === null) return null;
  const status = attemptStatus;
  return toLoggedAttempt({
    number,
    eventId,
    attempt,
    startedAt,
    status,
    error,
    latencyMs,
    isLeased,
  });
}

/** Never returns a negative number, even if the clocks of nodes differ a little. */
function minutesBetween(from: Date, to: Date): number {
  return Math.max(0, Math.floor((to.getTime() - from.getTime()) / 60_000));
}
