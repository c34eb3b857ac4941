import { newId } from '../base/secrets.ts';
import { announce } from '../database/channel.ts';
import type { Transaction } from '../database/database.ts';
import { sharedRead, statement } from '../database/statement.ts';
import { type Actor, recordAudit, SERVICE } from '../shops/audit.ts';
import { findWebhookUrlProblem, originOf } from './webhook-url.ts';
import { newWebhookSecret, type WebhookSecrets } from './webhook-secrets.ts';

/** The previous secret also signs for this long, so that a receiver can switch to the new one. */
const PREVIOUS_SECRET_MS = 24 * 3_600_000;

/** Why a webhook was removed. Only the shop sees this; the app sees `webhook: null`. */
export type RemovalReason = 'app' | 'gone' | 'failing' | 'redirect_uri' | 'connection_ended';

export interface NewWebhook {
  readonly shopId: string;
  readonly clientId: string;
  readonly connectionId: string;
  /** Used exactly as the app sent it. */
  readonly url: string;
  /** `ALLOW_LOOPBACK_WEBHOOKS`. */
  readonly allowsLoopback: boolean;
}

/** Only this result contains the secret in plain text. */
export type PutWebhookResult =
  | {
      readonly kind: 'put';
      readonly url: string;
      readonly secret: string;
      readonly createdAt: Date;
    }
  /** `problem` contains no part of the URL. */
  | { readonly kind: 'unacceptable'; readonly problem: string }
  | { readonly kind: 'connection_ended' };

/**
 * Registers the connection's webhook (spec 4.10, decision 0100). The events of a new webhook cover
 * only changes after the present head of the feed. If there already is a webhook, the acknowledged
 * position stays, the retry schedule starts again, and the previous secret also signs for 24 hours.
 */
export async function putWebhook(
  tx: Transaction,
  secrets: WebhookSecrets,
  { shopId, clientId, connectionId, url, allowsLoopback }: NewWebhook,
  now: Date,
): Promise<PutWebhookResult> {
  if ((await tx.one(lockActiveConnection, [shopId, connectionId])) === undefined) {
    return { kind: 'connection_ended' };
  }
  // This locks the app, so that a concurrent change of its redirect URIs either sees this webhook
  // and removes it, or is visible here.
  const app = await tx.one(lockRedirectUris, [shopId, clientId]);
  if (app === undefined) return { kind: 'connection_ended' };
  const rules = { redirectUris: app.redirectUris, allowsLoopback };
  const problem = findWebhookUrlProblem(url, rules);
  if (problem !== null) return { kind: 'unacceptable', problem };
  const secret = newWebhookSecret();
  const { sealed, keyId } = secrets.seal(secret, shopId, connectionId);
  const previousUntil = new Date(now.getTime() + PREVIOUS_SECRET_MS);
  const target = [url, originOf(url)];
  const { epoch = 1, seq = 0 } = (await tx.one(selectHeadOfShop, [shopId])) ?? {};
  const values = [shopId, connectionId, newId(), ...target, now, sealed, keyId, epoch, seq];
  await tx.query(upsertWebhook, [...values, previousUntil]);
  // Wake the workers: a concurrent change may have been announced before the new row existed.
  await announce(tx, 'webhooks', shopId);
  const subject = { kind: 'app', id: clientId, name: null } as const;
  const details = { connection: connectionId, origin: originOf(url) };
  const event = { action: 'webhook.registered', subject, details } as const;
  await recordAudit(tx, shopId, { kind: 'app', clientId }, event, now);
  return { kind: 'put', url, secret, createdAt: now };
}

/**
 * Deletes the webhook's secrets and pending event, and keeps the row under a new registration id,
 * so that an attempt in progress does not change it. Returns false if there is no webhook. The
 * audit entry contains only the origin of the URL, because path and query may contain a secret.
 * `connection_ended` gets none, because the end of the connection has its own entry.
 * @param by the actor of the audit entry; by default the app for reason `app`, else the service
 */
export async function removeWebhook(
  tx: Transaction,
  shopId: string,
  connectionId: string,
  reason: RemovalReason,
  now: Date,
  by?: Actor,
): Promise<boolean> {
  const removed = await tx.one(updateWebhookRemoved, [now, reason, newId(), shopId, connectionId]);
  if (removed === undefined) return false;
  if (reason === 'connection_ended') return true;
  const { clientId, url } = removed;
  const app: Actor = { kind: 'app', clientId };
  const subject = { kind: 'app', id: clientId, name: null } as const;
  const details = { connection: connectionId, origin: originOf(url), reason };
  const event = { action: 'webhook.removed', subject, details } as const;
  await recordAudit(tx, shopId, by ?? (reason === 'app' ? app : SERVICE), event, now);
  return true;
}

export const lockActiveConnection = statement<{ readonly id: string }>(
  'lock_active_connection',
  `select connection_id as id from connection
    where shop_id = $1 and connection_id = $2 and status = 'active'
      for share`,
);

export const lockRedirectUris = statement<{ readonly redirectUris: readonly string[] }>(
  'lock_redirect_uris',
  `select redirect_uris as "redirectUris" from app
    where shop_id = $1 and client_id = $2 and removed_at is null
      for share`,
);

/** A shop without any change has no row, which means epoch 1 and position 0. */
export const selectHeadOfShop = statement<{ readonly epoch: number; readonly seq: number }>(
  'select_head_of_shop',
  `select epoch, seq from feed_head where shop_id = $1`,
);

// Clears the retry schedule, so that a pending event is due immediately. Keeps the lease, the
// minimum interval and the attempt counter, because an attempt may be in progress. A removed
// webhook has no secret that could become the previous one. With `select … from feed_head` instead
// of `values`, Citus would lose the parameter of `on conflict`.
export const upsertWebhook = statement(
  'upsert_webhook',
  `insert into webhook (shop_id, connection_id, registration_id, url, origin, created_at, secret_sealed,
          secret_key_id, acknowledged_epoch, acknowledged_seq)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (shop_id, connection_id) do update
     set registration_id = excluded.registration_id, url = excluded.url, origin = excluded.origin,
         created_at = excluded.created_at, removed_at = null, removal_reason = null,
         secret_sealed = excluded.secret_sealed, secret_key_id = excluded.secret_key_id,
         previous_sealed = webhook.secret_sealed, previous_key_id = webhook.secret_key_id,
         previous_until = case when webhook.removed_at is null then $11::timestamptz end,
         acknowledged_epoch = case when webhook.removed_at is null then webhook.acknowledged_epoch
           else excluded.acknowledged_epoch end,
         acknowledged_seq = case when webhook.removed_at is null then webhook.acknowledged_seq
           else excluded.acknowledged_seq end,
         event_id = null, covers_epoch = null, covers_seq = null, occurred_at = null, attempt = 0,
         failures = 0, failing_since = null, next_attempt_at = null, not_before = null, early_at = null`,
);

/** Assignments that remove a webhook. `$1`: the time; `$2`: the reason; `$3`: a registration id. */
export const REMOVAL_ASSIGNMENTS = `registration_id = $3, removed_at = $1, removal_reason = $2,
          secret_sealed = null, secret_key_id = null,
          previous_sealed = null, previous_key_id = null, previous_until = null,
          event_id = null, covers_epoch = null, covers_seq = null, occurred_at = null, attempt = 0, early_at = null`;

export const updateWebhookRemoved = statement<{ readonly clientId: string; readonly url: string }>(
  'update_webhook_removed',
  `update webhook
      set ${REMOVAL_ASSIGNMENTS}
     from connection
    where webhook.shop_id = $4 and webhook.connection_id = $5 and webhook.removed_at is null
      and connection.shop_id = webhook.shop_id and connection.connection_id = webhook.connection_id
   returning connection.client_id as "clientId", webhook.url`,
);

export interface WebhookOfApp {
  readonly connectionId: string;
  readonly url: string;
  readonly origin: string;
  /** False if the connection has ended. Its webhook is then removed within a minute. */
  readonly isActive: boolean;
}

export const selectWebhooksOfApp = statement<WebhookOfApp>(
  'select_webhooks_of_app',
  `select w.connection_id as "connectionId", w.url, w.origin, c.status = 'active' as "isActive"
     from connection c
     join webhook w on w.shop_id = c.shop_id and w.connection_id = c.connection_id
    where c.shop_id = $1 and c.client_id = $2 and w.removed_at is null`,
);

export interface ConnectionState {
  readonly epoch: number;
  readonly seq: number;
  /** Null, like `createdAt`, without a webhook. */
  readonly url: string | null;
  readonly createdAt: Date | null;
}

/** Reads the feed's head and the webhook for `GET /connection` (spec 4.1). Always one row. */
export const readConnectionState = sharedRead<ConnectionState>(
  'read_connection_state',
  `select asked, coalesce(head.epoch, 1) as epoch, coalesce(head.seq, 0) as seq, webhook.url,
          webhook.created_at as "createdAt"
     from unnest((select $1::uuid[]), (select $2::uuid[])) with ordinality
       as ask (shop_id, connection_id, asked)
     left join feed_head head on head.shop_id = ask.shop_id
     left join webhook on webhook.shop_id = ask.shop_id
       and webhook.connection_id = ask.connection_id and webhook.removed_at is null`,
);
