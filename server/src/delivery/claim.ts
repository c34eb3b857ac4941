import { newId } from '../base/secrets.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { toArrayLiteral } from './array-literal.ts';
import {
  IS_BEHIND_CONDITION,
  leaseFreeCondition,
  CAN_RECEIVE_CONDITION,
} from './due-deliveries.ts';
import { groupByShop, type ShopOnCitus } from './group-by-shop.ts';

export interface ClaimTarget {
  readonly shopId: string;
  readonly connectionId: string;
}

/** A claimed attempt. Until the lease expires, only its holder may make the attempt. */
export interface ClaimedDelivery {
  readonly shopId: string;
  readonly connectionId: string;
  readonly clientId: string;
  readonly appName: string;
  readonly registrationId: string;
  readonly leaseId: string;
  readonly url: string;
  readonly origin: string;
  /** The number of this attempt in the connection's attempt log. */
  readonly number: number;
  readonly eventId: string;
  /** The number of this attempt for its event; 1 for the first. */
  readonly attempt: number;
  readonly occurredAt: Date;
  readonly coversEpoch: number;
  readonly coversSeq: number;
  /** True for a test delivery: nothing has changed since the acknowledged position. */
  readonly isTestDelivery: boolean;
  readonly isEarly: boolean;
  readonly startedAt: Date;
  /** Consecutive failures before this attempt. */
  readonly failures: number;
  /** How long the webhook had been failing at its previous attempt; null if it was not failing. */
  readonly failedForMs: number | null;
  /** The number of the previous attempt if its worker died and this claim closed it. */
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
  /** The duration of the lease by the database's clock. */
  readonly leaseMs: number;
}

// A claim up to this late is normal load. A later one moves `failing_since` forward by its complete
// delay, which does not count as time in which the receiver failed. A lower limit would let
// `failing_since`, which the shop sees, drift. A higher one would count a restart of our workers
// against receivers.
const LATENESS_MS_MAX = 60_000;

// `skip locked` skips a row that is being changed; the next poll sees its new state. `taken` reads
// the row under its lock, so two workers never claim the same row. When the feed head has moved
// past an event, the event gets a new id, because a receiver that drops repeated ids must not lose
// a change. The lateness of a claim is added to `failing_since` only once: the claim sets
// `next_attempt_at` to now, so a claim after a worker's death does not add it again. `early_at`
// stays set until the attempt is recorded, in case the worker dies. A row that is not failing keeps
// its values in the columns of the index `webhook_retry`, so the claim need not write to the index.
// On Citus, `shop` and `clock` are parameters, so that the statement goes to the shop's node.
const takenOf = (shop: string, clock: string): string => `
     select w.shop_id, w.connection_id, told.client_id, told.name as app_name, wanted.lease_id, wanted.event_id as fresh_event_id,
            w.lease_id is not null as was_leased, w.attempts_made as former_number,
            coalesce(w.next_attempt_at > $5, false) as is_early,
            w.event_id is not null and w.covers_seq is null as is_fresh_trial,
            w.covers_epoch = coalesce(h.epoch, 1) and w.covers_seq = coalesce(h.seq, 0) as is_same,
            coalesce(h.epoch, 1) as head_epoch, coalesce(h.seq, 0) as head_seq,
            coalesce(h.changed_at, $5) as head_at,
            case when least(w.next_attempt_at, w.early_at) < $8
              then w.failing_since + ($5 - least(w.next_attempt_at, w.early_at))
              else w.failing_since end as failing_from,
            extract(epoch from w.last_attempt_at - w.failing_since)::float8 * 1000 as failed_for_ms
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[])
         as wanted (shop_id, connection_id, lease_id, event_id)
       join webhook w on w.shop_id = ${shop} and w.connection_id = wanted.connection_id
      cross join lateral (
        select a.client_id, a.name from connection c join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
         where c.shop_id = ${shop} and c.connection_id = wanted.connection_id and ${CAN_RECEIVE_CONDITION}
         limit 1
      ) told
       left join lateral (
        select f.epoch, f.seq, f.changed_at from feed_head f where f.shop_id = ${shop} limit 1
      ) h on true
      where ${IS_BEHIND_CONDITION} and ${leaseFreeCondition(clock)} and w.secret_key_id = any($6::text[])
        and (w.next_attempt_at is null or least(w.next_attempt_at, w.early_at) <= $5)
      order by w.shop_id, w.connection_id
        for no key update of w skip locked`;

const leaseFrom = (clock: string): string => `lease_id = taken.lease_id,
            leased_until = ${clock} + $7::int * interval '1 millisecond',
            event_id = case when taken.is_same or taken.is_fresh_trial then w.event_id
              else taken.fresh_event_id end,
            attempt = case when taken.is_same then w.attempt + 1 else 1 end,
            occurred_at = case when taken.is_same then w.occurred_at else taken.head_at end,
            covers_epoch = taken.head_epoch, covers_seq = taken.head_seq,
            attempts_made = w.attempts_made + 1, last_attempt_at = $5,
            failing_since = taken.failing_from,
            next_attempt_at = case when w.next_attempt_at < $5 then $5 else w.next_attempt_at end,
            early_at = case when taken.is_early then $5 end, is_early = taken.is_early`;

const CLAIMED_COLUMNS = `w.shop_id as "shopId", w.connection_id as "connectionId",
          w.registration_id as "registrationId", w.lease_id as "leaseId", w.url, w.origin,
          w.attempts_made as number, w.event_id as "eventId", w.attempt, w.occurred_at as "occurredAt",
          w.covers_epoch as "coversEpoch", w.covers_seq as "coversSeq",
          w.covers_epoch = w.acknowledged_epoch and w.covers_seq = w.acknowledged_seq as "isTestDelivery",
          w.is_early as "isEarly", w.last_attempt_at as "startedAt", w.failures,
          w.secret_sealed as "secretSealed", w.secret_key_id as "secretKeyId",
          w.previous_sealed as "previousSealed", w.previous_key_id as "previousKeyId",
          w.previous_until as "previousUntil"`;

export const claimWebhooks = statement<ClaimedDelivery>(
  'claim_webhooks',
  `with taken as (${takenOf('wanted.shop_id', 'clock_timestamp()')}
   ), closed as (
     update webhook_attempt t set error = 'interrupted' from taken
      where taken.was_leased and t.shop_id = taken.shop_id and t.connection_id = taken.connection_id
        and t.number = taken.former_number and t.status is null and t.error is null
     returning t.connection_id as closed_id, t.number as closed_number
   ), claimed as (
     update webhook w
        set ${leaseFrom('clock_timestamp()')}
       from taken
      where w.shop_id = taken.shop_id and w.connection_id = taken.connection_id
     returning w.*, taken.client_id, taken.app_name, taken.failed_for_ms
   ), logged as (
     insert into webhook_attempt (shop_id, connection_id, number, event_id, attempt, started_at)
     select shop_id, connection_id, attempts_made, event_id, attempt, last_attempt_at from claimed
   )
   select ${CLAIMED_COLUMNS}, w.client_id as "clientId", w.app_name as "appName",
          w.failed_for_ms as "failedForMs", closed_number as "interruptedNumber"
     from claimed w left join closed on closed_id = w.connection_id`,
);

interface ClaimOfShop extends Omit<ClaimedDelivery, 'interruptedNumber'> {
  /** The number of the previous attempt if its lease was not released; otherwise null. */
  readonly unrecordedNumber: number | null;
}

// On Citus 13.2 the coordinator misreads the rows of a `with` that locks them. This statement
// therefore takes the lock in a subquery, and the log is written separately.
export const claimWebhooksOfShop = statement<ClaimOfShop>(
  'claim_webhooks_of_shop',
  `update webhook w
      set ${leaseFrom('$10::timestamptz')}
     from (${takenOf('$9::uuid', '$10::timestamptz')}
     ) taken
    where w.shop_id = $9 and w.connection_id = taken.connection_id
   returning ${CLAIMED_COLUMNS}, taken.client_id as "clientId", taken.app_name as "appName",
          taken.failed_for_ms as "failedForMs",
          case when taken.was_leased then taken.former_number end as "unrecordedNumber"`,
);

export const closeInterruptedAttempts = statement(
  'close_interrupted_attempt',
  `update webhook_attempt set error = 'interrupted'
    where shop_id = $1 and connection_id = $2 and number = $3 and status is null and error is null`,
);

export const insertAttempt = statement(
  'insert_webhook_attempt',
  `insert into webhook_attempt (shop_id, connection_id, number, event_id, attempt, started_at)
   values ($1, $2, $3, $4, $5, $6)`,
);

/**
 * Claims one attempt for each target, and logs it (decision 0104). A target missing from the result
 * was no longer due, or another worker has claimed it. Plain PostgreSQL needs no transaction.
 */
export async function claimDeliveries(
  db: Queryable,
  targets: readonly ClaimTarget[],
  options: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = [];
  for (const { shop, items } of await groupByShop(db, targets, ({ shopId }) => shopId)) {
    const values = valuesOf(items, options);
    if (shop === null) claimed.push(...(await db.query(claimWebhooks, values)));
    else claimed.push(...(await claimOfShop(db, values, shop)));
  }
  return claimed;
}

function valuesOf(
  targets: readonly ClaimTarget[],
  { keyIds, now, leaseMs }: ClaimOptions,
): readonly unknown[] {
  const shopIds = toArrayLiteral(targets.map((target) => target.shopId));
  const connectionIds = toArrayLiteral(targets.map((target) => target.connectionId));
  const leaseIds = toArrayLiteral(targets.map(() => newId()));
  const eventIds = toArrayLiteral(targets.map(() => newId()));
  const overdueBefore = new Date(now.getTime() - LATENESS_MS_MAX);
  return [shopIds, connectionIds, leaseIds, eventIds, now, keyIds, leaseMs, overdueBefore];
}

async function claimOfShop(
  db: Queryable,
  values: readonly unknown[],
  { shopId, at }: ShopOnCitus,
): Promise<ClaimedDelivery[]> {
  const claimed: ClaimedDelivery[] = [];
  for (const row of await db.query(claimWebhooksOfShop, [...values, shopId, at])) {
    const { unrecordedNumber, ...delivery } = row;
    const { connectionId, number, eventId, attempt, startedAt } = delivery;
    const isInterrupted =
      unrecordedNumber !== null &&
      (await db.count(closeInterruptedAttempts, [shopId, connectionId, unrecordedNumber])) > 0;
    await db.query(insertAttempt, [shopId, connectionId, number, eventId, attempt, startedAt]);
    claimed.push({ ...delivery, interruptedNumber: isInterrupted ? unrecordedNumber : null });
  }
  return claimed;
}
