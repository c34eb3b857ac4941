import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Hours that are kept: a year, and a month to compare it with. */
const HOURS_KEPT_DAYS = 400;
/** Rows that one statement returns at most: more than all that are kept. */
const HOURS_READ_MAX = (HOURS_KEPT_DAYS + 1) * 24;
/** Rows that one statement deletes at most: some milliseconds. */
const BATCH_ROWS = 1_000;
/** Statements of one run; what is left is done by the next. */
const STATEMENTS_MAX = 200;
const DAY_MS = 24 * 3_600_000;

/** What the attempts of a shop came to that began within one hour. */
export interface NoticeHour {
  /** Its begin, a whole hour of UTC. */
  readonly hour: Date;
  /** Answered with 2xx. */
  readonly delivered: number;
  /** All others: refused, without an answer, broken off. */
  readonly failed: number;
}

/** The hours of a shop as far as they are counted. */
export interface NoticeHours {
  /** In their order; hours without an attempt are left out. */
  readonly hours: readonly NoticeHour[];
  /** Attempts that began before this instant are counted, no later ones: some minutes ago. */
  readonly countedTo: Date;
}

interface HourRow {
  readonly countedTo: Date;
  /** Null, as what follows, in the only row of a shop without any. */
  readonly hour: Date | null;
  readonly delivered: number | null;
  readonly failed: number | null;
}

// One statement: the hours are as far as the instant beside them says.
export const readNoticeHourRows = statement<HourRow>(
  'read_notice_hours',
  `select r.rolled_up_to as "countedTo", h.hour, h.delivered, h.failed
     from notice_roll_up r
     left join notice_hour h on h.shop_id = $1 and h.hour >= $2
    order by h.hour limit $3`,
);

export const deleteOldNoticeHours = statement(
  'delete_old_notice_hours',
  `with old as materialized (
     select shop_id, hour from notice_hour
      where hour < $1 order by hour limit $2 for update skip locked
   )
   delete from notice_hour h using old where h.shop_id = old.shop_id and h.hour = old.hour`,
);

/** The hours of a shop that began at `since` or later (decision 0192). */
export async function readNoticeHours(
  db: Queryable,
  shopId: string,
  since: Date,
): Promise<NoticeHours> {
  const rows = await db.query(readNoticeHourRows, [shopId, since, HOURS_READ_MAX]);
  const [first] = rows;
  if (first === undefined) throw new Error('the roll-up of notices has no position');
  const hours: NoticeHour[] = [];
  for (const { hour, delivered, failed } of rows) {
    if (hour === null || delivered === null || failed === null) continue;
    hours.push({ hour, delivered, failed });
  }
  return { hours, countedTo: first.countedTo };
}

/** Deletes hours that began more than 400 days ago, in batches. Safe on all nodes at once; `signal` stops it between two. */
export async function cleanUpNoticeHours(
  db: Queryable,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const before = new Date(now.getTime() - HOURS_KEPT_DAYS * DAY_MS);
  let total = 0;
  for (let run = 0; run < STATEMENTS_MAX && signal?.aborted !== true; run++) {
    const deleted = await db.count(deleteOldNoticeHours, [before, BATCH_ROWS]);
    total += deleted;
    if (deleted < BATCH_ROWS) break;
  }
  return total;
}
