import { statement } from '../database/statement.ts';

export interface FeedReader {
  readonly shopId: string;
  readonly connectionId: string;
}

/**
 * SQL for the number of changes after the stored read `r`, or of all changes if there is no read.
 */
export const LAG_IN_CHANGES = `case when r.epoch = head.epoch and r.seq <= head.seq then head.seq - r.seq
            else coalesce(head.seq, 0) end`;

// Several nodes may record reads of a connection: the newest is kept. A read from the beginning is
// stored as position 0 of the current epoch. Connections that are no longer in the database,
// because it was restored while the node ran, are skipped. A repeated read of the same position is
// stored only every 30 s; the select checks this, because `on conflict` writes to every row that it
// locks, even if it does not update it.
const upsertReadsIn = (shop: 'reader.shop_id' | '$6::uuid'): string => `
   insert into feed_read (shop_id, connection_id, epoch, seq, read_at)
   select ${shop}, reader.connection_id, place.epoch, place.seq, reader.read_at
     from unnest($1::uuid[], $2::uuid[], $3::bigint[], $4::bigint[], $5::timestamptz[])
       as reader (shop_id, connection_id, epoch, seq, read_at)
    cross join lateral (
      select from connection c
       where c.shop_id = ${shop} and c.connection_id = reader.connection_id limit 1
    ) connected
     left join lateral (
      select h.epoch from feed_head h where h.shop_id = ${shop} limit 1
    ) head on true
    cross join lateral (
      select coalesce(reader.epoch, head.epoch, 1) as epoch, coalesce(reader.seq, 0) as seq
    ) place
     left join lateral (
      select f.epoch, f.seq, f.read_at from feed_read f
       where f.shop_id = ${shop} and f.connection_id = reader.connection_id limit 1
    ) kept on true
    where kept.read_at is null or kept.read_at + interval '30 seconds' <= reader.read_at
       or (kept.epoch, kept.seq) <> (place.epoch, place.seq)
    order by reader.shop_id, reader.connection_id
   on conflict (shop_id, connection_id) do update
     set epoch = excluded.epoch, seq = excluded.seq, read_at = excluded.read_at
     where feed_read.read_at <= excluded.read_at`;

export const upsertFeedReads = statement('upsert_feed_reads', upsertReadsIn('reader.shop_id'));

/** For the readers of shop `$6` only, because Citus cannot join the rows of several shops. */
export const upsertFeedReadsOfShop = statement(
  'upsert_feed_reads_of_shop',
  upsertReadsIn('$6::uuid'),
);
