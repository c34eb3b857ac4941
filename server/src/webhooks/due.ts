import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** A webhook that has a notice to be sent. */
export interface DueNotice {
  readonly shopId: string;
  readonly connectionId: string;
  readonly origin: string;
  /** True when an attempt took long within the last minutes: it has slots of its own (decision 0105). */
  readonly isSlow: boolean;
  /** From when on it may be claimed. */
  readonly dueAt: Date;
}

/** What a look leaves out, and how much it may find. */
export interface DueBounds {
  /** Ids of the keys that open secrets here: what another key has sealed cannot be signed. */
  readonly keyIds: readonly string[];
  /** Origins of which no more may wait: what is due to them must not hide the others. */
  readonly exceptOrigins: readonly string[];
  /** Which class is looked for: neither hides the other. */
  readonly isSlow: boolean;
  readonly limit: number;
}

// Due is (decision 0104): a live webhook of an active connection of an app that is enabled, which nobody has claimed,
// with a secret that opens here, whose time has come, and whose shop's head lies past what was acknowledged, or for
// which an event is pending. Leases are measured by the database's own clock, everything else by the callers'.

export const findDueOfShops = statement<DueNotice>(
  'find_due_of_shops',
  `select w.shop_id as "shopId", w.connection_id as "connectionId", w.origin,
          coalesce(w.slow_until > $3, false) as "isSlow", least(w.next_attempt_at, w.early_at) as "dueAt"
     from webhook w
     join connection c on c.shop_id = w.shop_id and c.connection_id = w.connection_id
     join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
     left join feed_head h on h.shop_id = w.shop_id
    where w.shop_id = any($1::uuid[])
      and w.removed_at is null and c.status = 'active' and a.is_enabled and a.removed_at is null
      and w.secret_key_id = any($2::text[])
      and (w.leased_until is null or w.leased_until <= clock_timestamp())
      and least(w.next_attempt_at, w.early_at) <= $3
      and (w.event_id is not null or coalesce(h.epoch, 1) <> w.acknowledged_epoch
        or coalesce(h.seq, 0) > w.acknowledged_seq)
    order by least(w.next_attempt_at, w.early_at)
    limit $4`,
);

// Walks the index of pending events: retries, trials, and what a worker that died had claimed.
export const findDuePending = statement<DueNotice>(
  'find_due_pending',
  `select w.shop_id as "shopId", w.connection_id as "connectionId", w.origin,
          $4::bool as "isSlow", least(w.next_attempt_at, w.early_at) as "dueAt"
     from webhook w
     join connection c on c.shop_id = w.shop_id and c.connection_id = w.connection_id
     join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
    where w.event_id is not null and least(w.next_attempt_at, w.early_at) <= $1
      and w.removed_at is null and c.status = 'active' and a.is_enabled and a.removed_at is null
      and w.secret_key_id = any($2::text[])
      and (w.leased_until is null or w.leased_until <= clock_timestamp())
      and w.origin <> all($3::text[]) and coalesce(w.slow_until > $1, false) = $4
    order by least(w.next_attempt_at, w.early_at)
    limit $5`,
);

// Compares every webhook with its head: finds what a process that died between a commit and its notification left
// untold, and what waited while its app was disabled.
// Webhooks and heads are compared first: where nobody is behind, as nearly always, nothing else is read.
export const findDueUntold = statement<DueNotice>(
  'find_due_untold',
  `with behind as materialized (
     select w.shop_id, w.connection_id, w.origin,
            least(w.next_attempt_at, w.early_at) as due_at
       from webhook w
       join feed_head h on h.shop_id = w.shop_id
      where w.event_id is null and w.removed_at is null
        and (h.epoch <> w.acknowledged_epoch or h.seq > w.acknowledged_seq)
        and least(w.next_attempt_at, w.early_at) <= $1
        and w.secret_key_id = any($2::text[])
        and (w.leased_until is null or w.leased_until <= clock_timestamp())
        and w.origin <> all($3::text[]) and coalesce(w.slow_until > $1, false) = $4
   )
   select b.shop_id as "shopId", b.connection_id as "connectionId", b.origin,
          $4::bool as "isSlow", b.due_at as "dueAt"
     from behind b
     join connection c on c.shop_id = b.shop_id and c.connection_id = b.connection_id
     join app a on a.shop_id = c.shop_id and a.client_id = c.client_id
    where c.status = 'active' and a.is_enabled and a.removed_at is null
    order by b.due_at
    limit $5`,
);

/** What is due to the webhooks of some shops, or will be by `until`; the oldest first. */
export async function listDueOfShops(
  db: Queryable,
  shopIds: readonly string[],
  until: Date,
  { keyIds, limit }: Pick<DueBounds, 'keyIds' | 'limit'>,
): Promise<DueNotice[]> {
  return await db.query(findDueOfShops, [shopIds, keyIds, until, limit]);
}

/** Events that are pending and due: retries, trials, expired claims; the oldest first. */
export async function listDuePending(
  db: Queryable,
  now: Date,
  { keyIds, exceptOrigins, isSlow, limit }: DueBounds,
): Promise<DueNotice[]> {
  return await db.query(findDuePending, [now, keyIds, exceptOrigins, isSlow, limit]);
}

/** Webhooks without a pending event whose shop has changed; the oldest first. A look at every webhook there is. */
export async function listDueUntold(
  db: Queryable,
  now: Date,
  { keyIds, exceptOrigins, isSlow, limit }: DueBounds,
): Promise<DueNotice[]> {
  return await db.query(findDueUntold, [now, keyIds, exceptOrigins, isSlow, limit]);
}
