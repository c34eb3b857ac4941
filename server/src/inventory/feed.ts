import type { Database, Queryable } from '../database/database.ts';
import { bytesStatement } from '../database/bytes-statement.ts';
import { sharedRead } from '../database/statement.ts';
import type { FeedPosition } from './cursor.ts';

export const selectFeedHead = sharedRead<FeedPosition>(
  'select_feed_head',
  `select asked, epoch, seq
     from unnest((select $1::uuid[])) with ordinality as ask (shop_id, asked)
     join feed_head using (shop_id)`,
);

interface PageRow extends FeedPosition {
  readonly last: number | null;
  readonly records: Buffer | null;
}

// One statement reads one snapshot, so the head is the highest position among the rows it sees.
// Each branch of the union scans an index by position, so every page costs the same. The branch for
// units appends the cost, because a stored record ends before the value of `costMinor`.
export const selectFeedPage = bytesStatement<PageRow>(
  'select_feed_page',
  `select head.epoch, head.seq, page.last, page.records
  from feed_head head cross join (
    select max(seq) as last, string_agg(record, ',') as records
    from (
      select seq, record from (
        (select seq, doc as record from site
          where shop_id = $1 and seq > $2 order by seq limit $3)
        union all
        (select seq, doc as record from location
          where shop_id = $1 and seq > $2 order by seq limit $3)
        union all
        (select seq, doc || (case when $4 then coalesce(cost_minor::text, 'null') else 'null' end
            || '}}') as record from unit
          where shop_id = $1 and seq > $2 order by seq limit $3)
      ) change order by seq limit $3
    ) ordered
  ) page
  where head.shop_id = $1`,
);

const NO_RECORDS = Buffer.alloc(0);

/** The head of a shop that has never written and therefore has no head row. */
const EMPTY_FEED: FeedPosition = { epoch: 1, seq: 0 };

/**
 * `recordBytes` has the change records in commit order, joined with commas: the content of a JSON
 * array in UTF-8. The kind is `busy` if `runInSlot` waited too long, and `expired` if the position
 * is past the head or in an older epoch.
 */
export type FeedPage =
  | {
      readonly kind: 'page';
      readonly recordBytes: Buffer;
      readonly next: FeedPosition;
      readonly hasMore: boolean;
    }
  | { readonly kind: 'expired' }
  | { readonly kind: 'busy' };

export interface FeedPageOptions {
  /** The maximum number of records, 1 to 1,000. */
  readonly limit: number;
  /** If false, `costMinor` is null in every unit. */
  readonly canSeeCost: boolean;
  /** Limits concurrent page reads; if absent, they are unlimited. An idle poll does not wait. */
  readonly runInSlot?: RunInSlot;
}

/** Runs `read` in a slot, or returns undefined without reading if none became free in time. */
export type RunInSlot = <T>(read: () => Promise<T>) => Promise<{ readonly value: T } | undefined>;

const runAtOnce: RunInSlot = async (read) => ({ value: await read() });

export async function readHead(db: Queryable, shopId: string): Promise<FeedPosition> {
  return headOf(await db.one(selectFeedHead, [shopId]));
}

function headOf(row: FeedPosition | undefined): FeedPosition {
  return row === undefined ? EMPTY_FEED : { epoch: row.epoch, seq: row.seq };
}

/**
 * Reads the changes after a position, or from the beginning if it is null. A client that reads to
 * the end and upserts by id has exactly the shop's state, because no committed change is skipped
 * (spec 2.6, 4.6, decision 0004).
 */
export function readChanges(
  db: Database,
  shopId: string,
  position: FeedPosition | null,
  options: FeedPageOptions,
): Promise<FeedPage> {
  // Not `async`, which would cost more objects per poll.
  return db.one(selectFeedHead, [shopId]).then((row) => {
    const head = headOf(row);
    const from = position ?? { epoch: head.epoch, seq: 0 };
    if (isExpired(from, head)) return { kind: 'expired' };
    // An idle poll is the most frequent read. It costs a single index look-up.
    if (from.seq === head.seq) {
      return { kind: 'page', recordBytes: NO_RECORDS, next: head, hasMore: false };
    }
    return readPage(db, shopId, from, options);
  });
}

async function readPage(
  db: Database,
  shopId: string,
  from: FeedPosition,
  options: FeedPageOptions,
): Promise<FeedPage> {
  const { limit, canSeeCost, runInSlot = runAtOnce } = options;
  const read = await runInSlot(
    async () => await db.one(selectFeedPage, [shopId, from.seq, limit, canSeeCost]),
  );
  if (read === undefined) return { kind: 'busy' };
  const row = read.value;
  // A head row is never deleted, but a new epoch may have started between the two reads.
  if (row === undefined || isExpired(from, row)) return { kind: 'expired' };
  const last = row.last ?? row.seq;
  return {
    kind: 'page',
    recordBytes: row.records ?? NO_RECORDS,
    next: { epoch: row.epoch, seq: last },
    // The head's position always belongs to an object, so below the head there are more records.
    hasMore: last < row.seq,
  };
}

/** True if the shop's history no longer has all changes up to the position. */
export function isPastHead(position: FeedPosition, head: FeedPosition): boolean {
  return position.epoch === head.epoch ? position.seq > head.seq : position.epoch > head.epoch;
}

function isExpired(position: FeedPosition, head: FeedPosition): boolean {
  return position.epoch !== head.epoch || position.seq > head.seq;
}
