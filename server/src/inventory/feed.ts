import type { Database, Queryable } from '../database/database.ts';
import { bytesStatement } from '../database/bytes-statement.ts';
import { sharedRead } from '../database/statement.ts';
import type { FeedPosition } from './cursor.ts';

/** Where the feed of a shop ends: reading from here returns only later changes. */
export const readFeedHead = sharedRead<FeedPosition>(
  'read_feed_head',
  `select asked, epoch, seq
     from unnest((select $1::uuid[])) with ordinality as ask (shop_id, asked)
     join feed_head using (shop_id)`,
);

interface PageRow extends FeedPosition {
  readonly last: number | null;
  readonly records: Buffer | null;
}

// One statement is one snapshot: the head that it reads is the highest position among the rows that it sees. Each arm
// walks an index of its own, so a page costs the same at the beginning and at the end. `costMinor` closes a unit.
export const readFeedPage = bytesStatement<PageRow>(
  'read_feed_page',
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

/** A shop that never wrote anything has no head row yet. */
const EMPTY_FEED: FeedPosition = { epoch: 1, seq: 0 };

/**
 * A page of the feed. `recordBytes` are change records in the order of their commits, joined with commas: what stands
 * between the brackets of a JSON array, in UTF-8. `next` is the position after them. `busy`: its turn did
 * not come. `expired`: the position lies past
 * the head or in an older epoch.
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
  /** 1 to 1,000 records. */
  readonly limit: number;
  /** False shows `costMinor` as null in every unit. */
  readonly canSeeCost: boolean;
  /**
   * Waits for the reader's turn and then reads the page; undefined, and nothing is read, when there is none in time. An
   * idle poll waits for nobody. Left out, the page is read at once.
   */
  readonly inTurn?: InTurn;
}

/** Runs `read` when it may; undefined when it may not. */
export type InTurn = <T>(read: () => Promise<T>) => Promise<{ readonly value: T } | undefined>;

const atOnce: InTurn = async (read) => ({ value: await read() });

/** The readable head of a shop's feed. */
export async function readHead(db: Queryable, shopId: string): Promise<FeedPosition> {
  return headOf(await db.one(readFeedHead, [shopId]));
}

function headOf(row: FeedPosition | undefined): FeedPosition {
  return row === undefined ? EMPTY_FEED : { epoch: row.epoch, seq: row.seq };
}

/**
 * Reads the changes after a position (null: from the beginning). After a full read, a reader that upserts by id holds
 * exactly the shop's state; no change that committed is ever skipped (specification 4.6, decision 0004).
 */
export async function readChanges(
  db: Database,
  shopId: string,
  position: FeedPosition | null,
  options: FeedPageOptions,
): Promise<FeedPage> {
  // Not by `readHead`: one promise less for each poll.
  const head = headOf(await db.one(readFeedHead, [shopId]));
  const from = position ?? { epoch: head.epoch, seq: 0 };
  if (isExpired(from, head)) return { kind: 'expired' };
  // The idle poll, most of all reads: nothing has changed, and one index look-up said so.
  if (from.seq === head.seq) {
    return { kind: 'page', recordBytes: NO_RECORDS, next: head, hasMore: false };
  }
  const { limit, canSeeCost, inTurn = atOnce } = options;
  const read = await inTurn(
    async () => await db.one(readFeedPage, [shopId, from.seq, limit, canSeeCost]),
  );
  if (read === undefined) return { kind: 'busy' };
  const row = read.value;
  // A head row never goes; a new epoch may have begun between the two reads.
  if (row === undefined || isExpired(from, row)) return { kind: 'expired' };
  const last = row.last ?? row.seq;
  return {
    kind: 'page',
    recordBytes: row.records ?? NO_RECORDS,
    next: { epoch: row.epoch, seq: last },
    // The newest position of every snapshot belongs to an object: below it there is always more.
    hasMore: last < row.seq,
  };
}

function isExpired(position: FeedPosition, head: FeedPosition): boolean {
  return position.epoch !== head.epoch || position.seq > head.seq;
}
