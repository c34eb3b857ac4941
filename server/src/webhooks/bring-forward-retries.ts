import type { FeedReader } from '../connections/feed-read-rows.ts';
import { announceSoon } from '../database/channel.ts';
import type { Database } from '../database/database.ts';
import { forEachShop } from '../database/each-shop.ts';
import { statement } from '../database/statement.ts';

/**
 * Brings forward the retries of connections that have just read the feed, because that shows that
 * their app works (decision 0003). Usually no webhook is failing, and this costs one look-up per
 * reader and no lock.
 */
export async function bringForwardRetries(
  db: Database,
  readers: readonly FeedReader[],
  now: Date,
): Promise<void> {
  const isDistributed = await db.isDistributed();
  const find = isDistributed ? findFailingReadersOnCitus : findFailingReaders;
  const failing = await db.query(find, [...columnsOf(readers), now]);
  if (failing.length === 0) return;
  if (!isDistributed) {
    await bringForward(db, bringRetriesForward, [...columnsOf(failing), now]);
    return;
  }
  await forEachShop(
    Map.groupBy(failing, ({ shopId }) => shopId),
    async ([shopId, some]) => {
      const connectionIds = some.map(({ connectionId }) => connectionId);
      await bringForward(db, bringRetriesForwardOfShop, [shopId, connectionIds, now]);
    },
  );
}

async function bringForward(
  db: Database,
  update: typeof bringRetriesForward,
  values: readonly unknown[],
): Promise<void> {
  await db.transaction(async (tx) => {
    const touched = await tx.query(update, values);
    for (const shopId of new Set(touched.map((row) => row.shopId))) {
      announceSoon(tx, 'webhooks', shopId);
    }
  });
}

function columnsOf(readers: readonly FeedReader[]): readonly (readonly string[])[] {
  return [readers.map(({ shopId }) => shopId), readers.map(({ connectionId }) => connectionId)];
}

// The time of the next attempt. While an attempt is in progress, none is scheduled (infinity), so
// the time of the read is stored in `early_at` in case the attempt fails. The `early_at` that
// started an attempt in progress (`is_early`) does not count.
const NEXT_AT = `case when w.lease_id is not null and w.leased_until > clock_timestamp()
              then coalesce(case when not w.is_early then w.early_at end, 'infinity')
              else least(w.next_attempt_at, w.early_at) end`;
// An app that polls every second while its receiver is down must not cause an attempt every second
// for days. So the pause before an attempt that is brought forward is at least a sixtieth of the
// time that the webhook has been failing, at most one minute. `not_before` still applies.
const ALIVE_AT = `greatest($3::timestamptz, w.not_before, w.last_attempt_at
              + least(interval '1 minute', ($3::timestamptz - w.failing_since) / 60))`;

// One primary-key look-up per reader: PostgreSQL never turns a lateral subquery with a limit into a
// join, which could read all failing webhooks (measured in decision 0003).
export const findFailingReaders = statement<FeedReader>(
  'find_failing_readers',
  `select reader.shop_id as "shopId", reader.connection_id as "connectionId"
     from unnest($1::uuid[], $2::uuid[]) as reader (shop_id, connection_id)
    cross join lateral (
      select w.removed_at, ${NEXT_AT} as next_at, ${ALIVE_AT} as alive_at
        from webhook w
       where w.shop_id = reader.shop_id and w.connection_id = reader.connection_id and w.failures > 0
       limit 1
    ) failing
    where removed_at is null and next_at > alive_at`,
);

export const findFailingReadersOnCitus = statement<FeedReader>(
  'find_failing_readers_on_citus',
  `select w.shop_id as "shopId", w.connection_id as "connectionId" from webhook w
    where w.shop_id = any($1::uuid[]) and w.connection_id = any($2::uuid[])
      and w.failures > 0 and w.removed_at is null and ${NEXT_AT} > ${ALIVE_AT}`,
);

// Locks in id order and checks again under the lock, because an attempt may have ended since.
export const bringRetriesForward = statement<Pick<FeedReader, 'shopId'>>(
  'bring_retries_forward',
  `with failing as materialized (
     select w.shop_id, w.connection_id, ${NEXT_AT} as next_at, ${ALIVE_AT} as alive_at
       from webhook w
      where (w.shop_id, w.connection_id) in (select * from unnest($1::uuid[], $2::uuid[]))
        and w.failures > 0 and w.removed_at is null
      order by w.shop_id, w.connection_id for no key update
   )
   update webhook w set early_at = failing.alive_at, is_early = false from failing
    where (w.shop_id, w.connection_id) = (failing.shop_id, failing.connection_id) and failing.next_at > failing.alive_at
   returning w.shop_id as "shopId"`,
);

export const bringRetriesForwardOfShop = statement<Pick<FeedReader, 'shopId'>>(
  'bring_retries_forward_of_shop',
  `update webhook w set early_at = failing.alive_at, is_early = false
     from (
       select w.connection_id, ${NEXT_AT} as next_at, ${ALIVE_AT} as alive_at
         from webhook w
        where w.shop_id = $1 and w.connection_id = any($2::uuid[])
          and w.failures > 0 and w.removed_at is null
        order by w.connection_id for no key update
     ) failing
    where w.shop_id = $1 and w.connection_id = failing.connection_id and failing.next_at > failing.alive_at
   returning w.shop_id as "shopId"`,
);
