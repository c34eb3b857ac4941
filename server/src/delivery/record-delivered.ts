import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { AttemptResult } from '../webhooks/attempt.ts';
import type { ClaimedDelivery } from './claim.ts';
import { toArrayLiteral, toInstantArrayLiteral } from './array-literal.ts';
import { logAttemptResults } from './log-attempt-results.ts';
import type { ShopOnCitus } from './group-by-shop.ts';

export interface DeliveredAttempt {
  readonly delivery: ClaimedDelivery;
  readonly result: Extract<AttemptResult, { kind: 'delivered' }>;
  readonly endedAt: Date;
}

export interface DeliveredOptions {
  /** The minimum time from recording an attempt to the next one, by the database's clock. */
  readonly minIntervalMs: number;
  readonly slowMs: number;
}

interface SettledRow {
  readonly leaseId: string;
  readonly isBehind: boolean;
}

// `afterDelivery` does not depend on the row's state, so one statement locks, settles and logs.
// Rows that are locked, have lost their lease or belong to a newer registration are left to
// `recordOthers`. On Citus, `shop` and `clock` are parameters, as in `claim.ts`.
const heldOf = (shop: string): string => `
     select told.*, coalesce(h.epoch, 1) <> told.covers_epoch or coalesce(h.seq, 0) > told.covers_seq as is_behind
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::bigint[], $6::bigint[],
         $7::bigint[], $8::int[], $9::int[], $10::timestamptz[])
         as told (shop_id, connection_id, lease_id, registration_id, covers_epoch, covers_seq,
           number, status, latency_ms, ended_at)
       join webhook w on w.shop_id = ${shop} and w.connection_id = told.connection_id
        and w.lease_id = told.lease_id
       left join feed_head h on h.shop_id = ${shop}
      where w.registration_id = told.registration_id and w.removed_at is null
      order by w.shop_id, w.connection_id
        for no key update of w skip locked`;

const settleAt = (clock: string): string => `lease_id = null, leased_until = null,
            paced_until = ${clock} + $11::int * interval '1 millisecond',
            last_attempt_at = greatest(w.last_attempt_at, held.ended_at),
            acknowledged_epoch = held.covers_epoch, acknowledged_seq = held.covers_seq,
            event_id = null, covers_epoch = null, covers_seq = null, occurred_at = null, attempt = 0,
            failures = 0, failing_since = null, next_attempt_at = null, not_before = null, early_at = null,
            is_early = false,
            speed = case when held.latency_ms >= $12::int then 'slow' else 'fast' end`;

export const settleDeliveredWebhooks = statement<SettledRow>(
  'settle_delivered_webhooks',
  `with held as (${heldOf('told.shop_id')}
   ), settled as (
     update webhook w
        set ${settleAt('clock_timestamp()')}
       from held
      where w.shop_id = held.shop_id and w.connection_id = held.connection_id
   ), logged as (
     update webhook_attempt t set status = held.status, error = null, latency_ms = held.latency_ms from held
      where t.shop_id = held.shop_id and t.connection_id = held.connection_id and t.number = held.number
   )
   select lease_id as "leaseId", is_behind as "isBehind" from held`,
);

export const settleDeliveredWebhooksOfShop = statement<SettledRow>(
  'settle_delivered_webhooks_of_shop',
  `update webhook w
      set ${settleAt('$14::timestamptz')}
     from (${heldOf('$13::uuid')}
     ) held
    where w.shop_id = $13 and w.connection_id = held.connection_id
   returning held.lease_id as "leaseId", held.is_behind as "isBehind"`,
);

/**
 * Records successful deliveries, by far the most frequent result, in one statement. Returns for
 * each lease id that was recorded whether the shop has newer changes to send.
 */
export async function recordDelivered(
  db: Queryable,
  attempts: readonly DeliveredAttempt[],
  { minIntervalMs, slowMs }: DeliveredOptions,
  shop: ShopOnCitus | null,
): Promise<ReadonlyMap<string, boolean>> {
  const deliveries = attempts.map(({ delivery }) => delivery);
  const values = [
    toArrayLiteral(deliveries.map(({ shopId }) => shopId)),
    toArrayLiteral(deliveries.map(({ connectionId }) => connectionId)),
    toArrayLiteral(deliveries.map(({ leaseId }) => leaseId)),
    toArrayLiteral(deliveries.map(({ registrationId }) => registrationId)),
    toArrayLiteral(deliveries.map(({ coversEpoch }) => coversEpoch)),
    toArrayLiteral(deliveries.map(({ coversSeq }) => coversSeq)),
    toArrayLiteral(deliveries.map(({ number }) => number)),
    toArrayLiteral(attempts.map(({ result }) => result.status)),
    toArrayLiteral(attempts.map(({ result }) => result.latencyMs)),
    toInstantArrayLiteral(attempts.map(({ endedAt }) => endedAt)),
    minIntervalMs,
    slowMs,
  ];
  const rows =
    shop === null
      ? await db.query(settleDeliveredWebhooks, values)
      : await settleOfShop(db, attempts, values, shop);
  return new Map(rows.map(({ leaseId, isBehind }) => [leaseId, isBehind]));
}

async function settleOfShop(
  db: Queryable,
  attempts: readonly DeliveredAttempt[],
  values: readonly unknown[],
  shop: ShopOnCitus,
): Promise<readonly SettledRow[]> {
  const rows = await db.query(settleDeliveredWebhooksOfShop, [...values, shop.shopId, shop.at]);
  const settled = new Set(rows.map(({ leaseId }) => leaseId));
  await logAttemptResults(
    db,
    attempts.filter(({ delivery }) => settled.has(delivery.leaseId)),
    shop,
  );
  return rows;
}
