import { newId } from '../base/secrets.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { toArrayLiteral } from './array-literal.ts';
import { IS_BEHIND, IS_FREE, CAN_RECEIVE } from './due.ts';

export interface ClaimTarget {
  readonly shopId: string;
  readonly connectionId: string;
}

/** One attempt, which only the holder of the lease may make, until the lease expires. */
export interface ClaimedDelivery {
  readonly shopId: string;
  readonly connectionId: string;
  readonly clientId: string;
  readonly appName: string;
  readonly registrationId: string;
  readonly leaseId: string;
  readonly url: string;
  readonly origin: string;
  /** Its number in the connection's attempt log. */
  readonly number: number;
  readonly eventId: string;
  /** 1 for the first attempt of the event. */
  readonly attempt: number;
  readonly occurredAt: Date;
  readonly coversEpoch: number;
  readonly coversSeq: number;
  /** True for a test delivery: nothing has changed since the acknowledged position. */
  readonly isTrial: boolean;
  readonly isEarly: boolean;
  readonly startedAt: Date;
  /** Consecutive failures before this attempt. */
  readonly failures: number;
  /** How long the webhook had been failing at the previous attempt; null if it was not. */
  readonly failedForMs: number | null;
  /** The previous attempt, if this claim closed it because its worker had died; else null. */
  readonly interruptedNumber: number | null;
  readonly secretSealed: Buffer;
  readonly secretKeyId: string;
  readonly previousSealed: Buffer | null;
  readonly previousKeyId: string | null;
  readonly previousUntil: Date | null;
}

export interface ClaimOptions {
  readonly keyIds: readonly string[];
  readonly now: Date;
  /** By the database's clock. */
  readonly leaseMs: number;
}

/**
 * A claim up to this late counts as normal load, and `failing_since` does not move; beyond it, the
 * time without an attempt does not count as failing. A lower limit would let `failing_since`, which
 * the shop sees, drift; a higher one would count a restart of the workers against receivers.
 */
const LATENESS_MS_MAX = 60_000;

// `skip locked`: a locked row is being changed, and the next poll sees its new state. `taken` reads
// the row under its lock, so two workers never claim the same one. When the feed head has moved
// past an event, the event gets a new id: a receiver that drops repeated ids must not lose a
// change. Lateness is added to `failing_since` once: `next_attempt_at` becomes now, so the claim
// after a worker's death does not add it again. `early_at` stays until the attempt is recorded, in
// case the worker dies. A row that is not failing does not change the columns of the index
// `webhook_retry`.
export const claimWebhooks = statement<ClaimedDelivery>(
  'claim_webhooks',
  `with wanted as (
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[])
       as t (shop_id, connection_id, lease_id, event_id)
   ), taken as (
     select w.shop_id, w.connection_id, told.client_id, told.name as app_name, wanted.lease_id, wanted.event_id as fresh_event_id,
            w.lease_id is not null as was_leased, w.attempts_made as former_number,
            least(w.next_attempt_at, w.early_at) as due_at, coalesce(w.next_attempt_at > $5, false) as is_early,
            w.event_id is not null and w.covers_seq is null as is_fresh_trial,
            w.covers_epoch = coalesce(h.epoch, 1) and w.covers_seq = coalesce(h.seq, 0) as is_same,
            coalesce(h.epoch, 1) as head_epoch, coalesce(h.seq, 0) as head_seq,
            coalesce(h.changed_at, $5) as head_at,
            extract(epoch from w.last_attempt_at - w.failing_since)::float8 * 1000 as failed_for_ms
       from wanted
       join webhook w on w.shop_id = wanted.shop_id and w.connection_id = wanted.connection_id
      cross join lateral (
        select a.client_id, a.name from connection c join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
         where c.shop_id = wanted.shop_id and c.connection_id = wanted.connection_id and ${CAN_RECEIVE}
         limit 1
      ) told
       left join lateral (
        select f.epoch, f.seq, f.changed_at from feed_head f where f.shop_id = wanted.shop_id limit 1
      ) h on true
      where ${IS_BEHIND} and ${IS_FREE} and w.secret_key_id = any($6::text[])
        and (w.next_attempt_at is null or least(w.next_attempt_at, w.early_at) <= $5)
      order by w.shop_id, w.connection_id
        for no key update of w skip locked
   ), closed as (
     update webhook_attempt t set error = 'interrupted' from taken
      where taken.was_leased and t.shop_id = taken.shop_id and t.connection_id = taken.connection_id
        and t.number = taken.former_number and t.status is null and t.error is null
     returning t.connection_id as closed_id, t.number as closed_number
   ), claimed as (
     update webhook w
        set lease_id = taken.lease_id,
            leased_until = clock_timestamp() + $7::int * interval '1 millisecond',
            event_id = case when taken.is_same or taken.is_fresh_trial then w.event_id
              else taken.fresh_event_id end,
            attempt = case when taken.is_same then w.attempt + 1 else 1 end,
            occurred_at = case when taken.is_same then w.occurred_at else taken.head_at end,
            covers_epoch = taken.head_epoch, covers_seq = taken.head_seq,
            attempts_made = w.attempts_made + 1, last_attempt_at = $5,
            failing_since = case when taken.due_at < $8 then w.failing_since + ($5 - taken.due_at)
              else w.failing_since end,
            next_attempt_at = case when w.next_attempt_at < $5 then $5 else w.next_attempt_at end,
            early_at = case when taken.is_early then $5 end, is_early = taken.is_early
       from taken
      where w.shop_id = taken.shop_id and w.connection_id = taken.connection_id
     returning w.*, taken.client_id, taken.app_name, taken.failed_for_ms
   ), logged as (
     insert into webhook_attempt (shop_id, connection_id, number, event_id, attempt, started_at)
     select shop_id, connection_id, attempts_made, event_id, attempt, last_attempt_at from claimed
   )
   select shop_id as "shopId", connection_id as "connectionId", client_id as "clientId", app_name as "appName",
          registration_id as "registrationId", lease_id as "leaseId", url, origin,
          attempts_made as number, event_id as "eventId", attempt, occurred_at as "occurredAt",
          covers_epoch as "coversEpoch", covers_seq as "coversSeq",
          covers_epoch = acknowledged_epoch and covers_seq = acknowledged_seq as "isTrial",
          is_early as "isEarly", last_attempt_at as "startedAt", failures,
          failed_for_ms as "failedForMs", closed_number as "interruptedNumber", secret_sealed as "secretSealed",
          secret_key_id as "secretKeyId", previous_sealed as "previousSealed",
          previous_key_id as "previousKeyId", previous_until as "previousUntil"
     from claimed left join closed on closed_id = connection_id`,
);

/**
 * Claims the webhooks that are still due, one attempt each, and logs the attempts (decision 0104).
 * A target missing from the result was no longer due, or another worker has claimed it.
 */
export async function claimDeliveries(
  tx: Transaction,
  targets: readonly ClaimTarget[],
  { keyIds, now, leaseMs }: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const shopIds = toArrayLiteral(targets.map((target) => target.shopId));
  const connectionIds = toArrayLiteral(targets.map((target) => target.connectionId));
  const leaseIds = toArrayLiteral(targets.map(() => newId()));
  const eventIds = toArrayLiteral(targets.map(() => newId()));
  const overdueBefore = new Date(now.getTime() - LATENESS_MS_MAX);
  const columns = [shopIds, connectionIds, leaseIds, eventIds];
  return await tx.query(claimWebhooks, [...columns, now, keyIds, leaseMs, overdueBefore]);
}
