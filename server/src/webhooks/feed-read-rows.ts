import { statement } from '../database/statement.ts';

/** A connection of a shop. */
export interface FeedReader {
  readonly shopId: string;
  readonly connectionId: string;
}

// One look-up by primary key a reader: a lateral subquery with a limit is never turned into a join, so that the cost
// depends on the readers alone, whatever the planner believes of the table. `webhook_pending` would be read as a whole
// whenever many fail. Decision 0108 holds the measure. While an attempt is under way nobody knows when the next one is: a
// read is kept for the case that it fails.
export const findFailingReaders = statement<FeedReader>(
  'find_failing_readers',
  `select reader.shop_id as "shopId", reader.connection_id as "connectionId"
     from unnest($1::uuid[], $2::uuid[]) as reader (shop_id, connection_id)
    cross join lateral (
      select w.removed_at,
             least(case when w.leased_until > clock_timestamp() then 'infinity' else w.next_attempt_at end,
               w.early_at) as next_at,
             greatest($3::timestamptz, w.last_attempt_at + interval '1 second', w.not_before) as alive_at
        from webhook w
       where w.shop_id = reader.shop_id and w.connection_id = reader.connection_id and w.failures > 0
       limit 1
    ) failing
    where removed_at is null and next_at > alive_at`,
);

// Locked in the order of the ids, then looked at again: an attempt may have come to its end meanwhile.
export const bringRetriesForward = statement<Pick<FeedReader, 'shopId'>>(
  'bring_retries_forward',
  `with waiting as materialized (
     select shop_id, connection_id from webhook
      where (shop_id, connection_id) in (select * from unnest($1::uuid[], $2::uuid[]))
      order by shop_id, connection_id for no key update
   )
   update webhook w
      set early_at = greatest($3::timestamptz, w.last_attempt_at + interval '1 second', w.not_before)
     from waiting
    where (w.shop_id, w.connection_id) = (waiting.shop_id, waiting.connection_id)
      and w.failures > 0 and w.removed_at is null
      and least(case when w.leased_until > clock_timestamp() then 'infinity' else w.next_attempt_at end,
            w.early_at)
        > greatest($3::timestamptz, w.last_attempt_at + interval '1 second', w.not_before)
   returning w.shop_id as "shopId"`,
);

// Nodes note the same connection: the newest read stands. From the beginning is position 0 of the epoch that is. A
// connection that the database no longer knows (a backup was restored under a running node) is passed over.
export const keepFeedReads = statement(
  'keep_feed_reads',
  `insert into feed_read (shop_id, connection_id, epoch, seq, read_at)
   select c.shop_id, c.connection_id, coalesce(reader.epoch, head.epoch, 1), coalesce(reader.seq, 0), reader.read_at
     from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[])
       as reader (shop_id, connection_id, epoch, seq, read_at)
     join connection c on c.shop_id = reader.shop_id and c.connection_id = reader.connection_id
     left join feed_head head on head.shop_id = c.shop_id
    order by c.shop_id, c.connection_id
   on conflict (shop_id, connection_id) do update
     set epoch = excluded.epoch, seq = excluded.seq, read_at = excluded.read_at
     where feed_read.read_at <= excluded.read_at`,
);
