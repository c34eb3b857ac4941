import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** A webhook that has a notice to be sent. */
export interface DueNotice {
  readonly shopId: string;
  readonly connectionId: string;
  readonly origin: string;
  /** True when an attempt took long within the last minutes: it has slots of its own (decision 0105). */
  readonly isSlow: boolean;
}

/** One that may be claimed as soon as a lease, or the pace after its last attempt, is over. */
export interface WaitingNotice extends DueNotice {
  /** What is left of either by the database's clock, in milliseconds; 0 when it may be claimed. */
  readonly waitMs: number;
}

/** What a poll leaves out, and how much it may find. */
export interface DueBounds {
  /** Ids of the keys that open secrets here: what another key has sealed cannot be signed. */
  readonly keyIds: readonly string[];
  /** Origins of which no more may wait: what is due to them must not hide the others. Those of the fast … */
  readonly exceptFast: readonly string[];
  /** … and those of the slow. */
  readonly exceptSlow: readonly string[];
  /** Of each class: neither hides the other. */
  readonly limit: number;
}

// Due is (decision 0104): a live webhook of an active connection of an app that is enabled, which no worker has claimed,
// with a secret that opens here, whose time has come, and whose shop's head lies past what was acknowledged, or for
// which an event is pending. Leases and the pace are measured by the database's own clock.
// Where nothing was put off (`next_attempt_at` is null) the time has come; only retries, and what comes before them, are
// measured by the callers' clocks.

/** True of a webhook `w` that no worker has claimed, and whose last attempt is long enough ago. */
export const IS_FREE =
  'coalesce(greatest(w.leased_until, w.paced_until) <= clock_timestamp(), true)';
/** True of a live webhook `w` that has something to be told, by the head `h` of its shop's feed if it has one. */
export const IS_BEHIND = `w.removed_at is null and (w.event_id is not null
        or coalesce(h.epoch, 1) <> w.acknowledged_epoch or coalesce(h.seq, 0) > w.acknowledged_seq)`;
/** True of a connection `c` and its app `a` that may be told anything. */
export const MAY_BE_TOLD = `c.status = 'active' and a.is_enabled and a.removed_at is null`;

// Every step is a look-up by key, whatever the planner believes of the tables: right after a restored dump it knows nothing
// of them, and a join of the four would read them as a whole, on the way on which every notice goes.
export const findDueOfShops = statement<WaitingNotice>(
  'find_due_of_shops',
  `with waiting as materialized (
     select w.shop_id, w.connection_id, w.origin, w.slow_until, greatest(w.leased_until, w.paced_until) as free_at
       from unnest($1::uuid[]) as woken (shop_id)
      cross join lateral (
        select * from webhook x where x.shop_id = woken.shop_id offset 0
      ) w
       left join lateral (
        select f.epoch, f.seq from feed_head f where f.shop_id = woken.shop_id limit 1
      ) h on true
      where ${IS_BEHIND} and w.secret_key_id = any($2::text[])
        and coalesce(greatest(w.leased_until, w.paced_until)
          <= clock_timestamp() + $4::int * interval '1 millisecond', true)
        and (w.next_attempt_at is null or least(w.next_attempt_at, w.early_at) <= $3)
   )
   select waiting.shop_id as "shopId", waiting.connection_id as "connectionId", waiting.origin,
          coalesce(waiting.slow_until > $3, false) as "isSlow",
          greatest(extract(epoch from waiting.free_at - clock_timestamp())::float8 * 1000, 0) as "waitMs"
     from waiting
    cross join lateral (
      select from connection c join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
       where c.shop_id = waiting.shop_id and c.connection_id = waiting.connection_id
         and ${MAY_BE_TOLD}
       limit 1
    ) connected
    order by waiting.free_at nulls first
    limit $5`,
);

// Compares every webhook with its head: finds retries, what a process that died between a commit and its notification did
// not announce, what a worker that died had claimed, and what waited while its app was disabled. The longest due comes
// first. Webhooks and heads are compared before anything else is read: nearly always none is behind.
export const findDue = statement<DueNotice>(
  'find_due',
  `with behind as materialized (
     select w.shop_id, w.connection_id, w.origin, coalesce(w.slow_until > $1, false) as is_slow,
            coalesce(least(w.next_attempt_at, w.early_at), w.last_attempt_at) as since
       from webhook w
       left join feed_head h on h.shop_id = w.shop_id
      where ${IS_BEHIND}
        and (w.next_attempt_at is null or least(w.next_attempt_at, w.early_at) <= $1)
        and w.secret_key_id = any($2::text[]) and ${IS_FREE}
        and w.origin <> all(case when w.slow_until > $1 then $4::text[] else $3::text[] end)
   ), ranked as (
     select b.*, row_number() over (partition by b.is_slow order by b.since nulls first) as place
       from behind b
       join connection c on c.shop_id = b.shop_id and c.connection_id = b.connection_id
       join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
      where ${MAY_BE_TOLD}
   )
   select shop_id as "shopId", connection_id as "connectionId", origin, is_slow as "isSlow"
     from ranked where place <= $5 order by place`,
);

/** What is due to the webhooks of some shops, also where a lease or the pace has `horizonMs` left at most; those last. */
export async function listDueOfShops(
  db: Queryable,
  shopIds: readonly string[],
  now: Date,
  {
    keyIds,
    horizonMs,
    limit,
  }: Pick<DueBounds, 'keyIds' | 'limit'> & { readonly horizonMs: number },
): Promise<WaitingNotice[]> {
  return await db.query(findDueOfShops, [shopIds, keyIds, now, horizonMs, limit]);
}

/** All that is due, whether or not it was announced. It reads every webhook there is. */
export async function listDue(
  db: Queryable,
  now: Date,
  { keyIds, exceptFast, exceptSlow, limit }: DueBounds,
): Promise<DueNotice[]> {
  return await db.query(findDue, [now, keyIds, exceptFast, exceptSlow, limit]);
}
