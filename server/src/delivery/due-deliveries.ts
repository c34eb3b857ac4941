import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * How fast the receiver last responded; unknown before its first response. Slow webhooks have
 * separate slots, and some of the others are only for fast ones (decision 0105).
 */
export type WebhookSpeed = 'unknown' | 'fast' | 'slow';

export interface DueDelivery {
  readonly shopId: string;
  readonly connectionId: string;
  readonly origin: string;
  readonly speed: WebhookSpeed;
}

/** A due webhook that may still have to wait for the end of its lease or minimum interval. */
export interface WaitingDelivery extends DueDelivery {
  /** Milliseconds until the webhook may be claimed, by the database's clock; 0 for now. */
  readonly waitMs: number;
}

export interface DueQuery {
  /** The ids of this process's keys. Webhooks with a secret under another key are left out. */
  readonly keyIds: readonly string[];
  /** Origins with a full queue of fast webhooks. Leaving them out makes room for others. */
  readonly exceptFast: readonly string[];
  /** Origins with a full queue of slow webhooks. */
  readonly exceptSlow: readonly string[];
  /** The maximum number of rows for each of the two classes, fast and slow. */
  readonly limit: number;
}

// A webhook is due (decision 0104) if it is live, no worker holds its lease, its minimum interval
// is over, this process can decrypt its secret, its connection is active, its app is enabled, no
// retry is scheduled for later, and it is behind the shop's feed head or has a pending event.
// Leases and minimum intervals follow the database's clock, retries and early attempts the clock of
// the caller. No retry is scheduled if `next_attempt_at` is null.

/** SQL condition for a webhook `w`: no worker has claimed it, and its minimum interval is over. */
export const leaseFreeCondition = (clock: string): string =>
  `coalesce(greatest(w.leased_until, w.paced_until) <= ${clock}, true)`;
/** SQL condition: a live webhook `w` has something to send. Its shop may have no feed head `h`. */
export const IS_BEHIND_CONDITION = `w.removed_at is null and (w.event_id is not null
        or coalesce(h.epoch, 1) <> w.acknowledged_epoch or coalesce(h.seq, 0) > w.acknowledged_seq)`;
/** SQL condition for a connection `c` and its app `a` that may receive events. */
export const CAN_RECEIVE_CONDITION = `c.status = 'active' and a.is_enabled and a.removed_at is null`;

// Lateral subqueries force index look-ups by key. Right after a restore the planner has no
// statistics and would read all four tables for a join, and every delivery depends on this query.
export const findDueDeliveries = statement<WaitingDelivery>(
  'find_due_of_shops',
  `with waiting as materialized (
     select w.shop_id, w.connection_id, w.origin, w.speed, greatest(w.leased_until, w.paced_until) as free_at
       from unnest($1::uuid[]) as woken (shop_id)
      cross join lateral (
        select * from webhook x where x.shop_id = woken.shop_id offset 0
      ) w
       left join lateral (
        select f.epoch, f.seq from feed_head f where f.shop_id = woken.shop_id limit 1
      ) h on true
      where ${IS_BEHIND_CONDITION} and w.secret_key_id = any($2::text[])
        and coalesce(greatest(w.leased_until, w.paced_until)
          <= clock_timestamp() + $4::int * interval '1 millisecond', true)
        and (w.next_attempt_at is null or least(w.next_attempt_at, w.early_at) <= $3)
   )
   select waiting.shop_id as "shopId", waiting.connection_id as "connectionId", waiting.origin,
          waiting.speed,
          greatest(extract(epoch from waiting.free_at - clock_timestamp())::float8 * 1000, 0) as "waitMs"
     from waiting
    cross join lateral (
      select from connection c join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
       where c.shop_id = waiting.shop_id and c.connection_id = waiting.connection_id
         and ${CAN_RECEIVE_CONDITION}
       limit 1
    ) connected
    order by waiting.free_at nulls first
    limit $5`,
);

// Citus does not push lateral subqueries down to its nodes.
export const findDueDeliveriesOnCitus = statement<WaitingDelivery>(
  'find_due_of_shops_on_citus',
  `select w.shop_id as "shopId", w.connection_id as "connectionId", w.origin,
          w.speed,
          greatest(extract(epoch from greatest(w.leased_until, w.paced_until) - clock_timestamp())::float8 * 1000, 0)
            as "waitMs"
     from webhook w
     join connection c on c.shop_id = w.shop_id and c.connection_id = w.connection_id
     join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
     left join feed_head h on h.shop_id = w.shop_id
    where w.shop_id = any($1::uuid[]) and ${IS_BEHIND_CONDITION} and w.secret_key_id = any($2::text[]) and ${CAN_RECEIVE_CONDITION}
      and coalesce(greatest(w.leased_until, w.paced_until)
        <= clock_timestamp() + $4::int * interval '1 millisecond', true)
      and (w.next_attempt_at is null or least(w.next_attempt_at, w.early_at) <= $3)
    order by greatest(w.leased_until, w.paced_until) nulls first
    limit $5`,
);

// Finds due webhooks that no notification announces: retries, changes whose process died between
// commit and notification, claims of dead workers, and events held back while an app was disabled.
// Joins connections and apps only for the very few webhooks that are behind their feed head.
export const findAllDueDeliveries = statement<DueDelivery>(
  'find_due',
  `with behind as materialized (
     select w.shop_id, w.connection_id, w.origin, w.speed,
            coalesce(least(w.next_attempt_at, w.early_at), w.last_attempt_at) as since
       from webhook w
       left join feed_head h on h.shop_id = w.shop_id
      where ${IS_BEHIND_CONDITION}
        and (w.next_attempt_at is null or least(w.next_attempt_at, w.early_at) <= $1)
        and w.secret_key_id = any($2::text[]) and ${leaseFreeCondition('clock_timestamp()')}
        and w.origin <> all(case when w.speed = 'slow' then $4::text[] else $3::text[] end)
   ), ranked as (
     select b.*, row_number() over (partition by b.speed = 'slow', b.shop_id order by b.since nulls first) as turn
       from behind b
       join connection c on c.shop_id = b.shop_id and c.connection_id = b.connection_id
       join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
      where ${CAN_RECEIVE_CONDITION}
   ), placed as (
     select *, row_number() over (partition by speed = 'slow' order by turn, since nulls first) as place
       from ranked
   )
   select shop_id as "shopId", connection_id as "connectionId", origin, speed
     from placed where place <= $5 order by place`,
);

/** Lists the due webhooks of some shops, followed by those that become free within `horizonMs`. */
export async function listDueDeliveriesOfShops(
  db: Queryable,
  shopIds: readonly string[],
  now: Date,
  { keyIds, horizonMs, limit }: Pick<DueQuery, 'keyIds' | 'limit'> & { readonly horizonMs: number },
): Promise<WaitingDelivery[]> {
  const find = (await db.isDistributed()) ? findDueDeliveriesOnCitus : findDueDeliveries;
  return await db.query(find, [shopIds, keyIds, now, horizonMs, limit]);
}

/** Lists the due webhooks of all shops. Reads the complete webhook table. */
export async function listDueDeliveries(
  db: Queryable,
  now: Date,
  { keyIds, exceptFast, exceptSlow, limit }: DueQuery,
): Promise<DueDelivery[]> {
  return await db.query(findAllDueDeliveries, [now, keyIds, exceptFast, exceptSlow, limit]);
}
