import type { Database, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * How old an attempt is when it is counted. A claim writes the time of its node, which is at most 60 s behind the
 * database's (`clock-skew.ts`), an attempt takes 15 s at most, and its result may wait for a database that is slow.
 * Shorter, and an attempt could be written behind the position, or counted before its result; longer, and the shop sees
 * the last minutes later.
 */
const SETTLED_AFTER_MS = 180_000;
/** Attempts that one transaction counts, some 50 ms: a pause is caught up with in many such steps. */
const STEP_ATTEMPTS = 20_000;
/** Steps of one run: ten million attempts; what is left is done by the next. */
const STEPS_MAX = 500;

interface Span {
  readonly from: Date;
  /** Not of it any more. */
  readonly to: Date;
  /** True when nothing that is settled lies beyond it. */
  readonly isLast: boolean;
}

// Whoever has the row counts; the others find that somebody is at it.
export const lockNoticeRollUp = statement<{ readonly rolledUpTo: Date }>(
  'lock_notice_roll_up',
  `select rolled_up_to as "rolledUpTo" from notice_roll_up where only_row for update skip locked`,
);

export const readRolledUpTo = statement<{ readonly rolledUpTo: Date }>(
  'read_rolled_up_to',
  `select rolled_up_to as "rolledUpTo" from notice_roll_up where only_row`,
);

// The earlier of both clocks: a node that is ahead must not pass what others have still to write. Spans end at whole
// milliseconds, which is what a position is read as. Of a millisecond with more attempts than a step has, all are taken.
export const findRollUpSpan = statement<Span>(
  'find_roll_up_span',
  `with settled as (
     select greatest($1::timestamptz, date_trunc('milliseconds',
              least($2::timestamptz, now()) - $3::int * interval '1 millisecond')) as at
   ), first as (
     select date_trunc('milliseconds', started_at) + interval '1 millisecond' as after
       from webhook_attempt where started_at >= $1 order by started_at limit 1
   ), cut as (
     select date_trunc('milliseconds', started_at) as at
       from webhook_attempt
      where started_at >= $1 and started_at < least($2::timestamptz, now()) - $3::int * interval '1 millisecond'
      order by started_at offset $4 limit 1
   )
   select $1::timestamptz as "from", cut.at is null or greatest(cut.at, first.after) >= settled.at as "isLast",
          case when cut.at is null then settled.at else least(settled.at, greatest(cut.at, first.after)) end as "to"
     from settled left join cut on true left join first on true`,
);

// An attempt that has no result by now is one whose worker died: the log shows it as interrupted (decision 0109).
export const addNoticeHours = statement(
  'add_notice_hours',
  `insert into notice_hour (shop_id, hour, delivered, failed)
   select shop_id, date_trunc('hour', started_at, 'UTC'),
          count(*) filter (where status is not null and error is null),
          count(*) filter (where status is null or error is not null)
     from webhook_attempt where started_at >= $1 and started_at < $2
    group by 1, 2 order by 1, 2
   on conflict (shop_id, hour) do update
     set delivered = notice_hour.delivered + excluded.delivered,
         failed = notice_hour.failed + excluded.failed`,
);

export const moveNoticeRollUp = statement(
  'move_notice_roll_up',
  `update notice_roll_up set rolled_up_to = $1 where only_row`,
);

/**
 * Counts the attempts of all shops by the hour, from where the last run ended to what is settled, in steps of one
 * transaction each: its counts and its position commit together, so that each attempt is counted once, however many nodes
 * run it and wherever one dies (decision 0192). `signal` stops it between two steps.
 *
 * @returns up to where the log is counted, by this node or another
 */
export async function rollUpNotices(
  db: Database,
  now: Date,
  signal?: AbortSignal,
  stepAttempts: number = STEP_ATTEMPTS,
): Promise<Date> {
  for (let step = 0; step < STEPS_MAX && signal?.aborted !== true; step++) {
    const isOver = await db.transaction(async (tx) => await rollUpStep(tx, now, stepAttempts));
    if (isOver) break;
  }
  const position = await db.one(readRolledUpTo);
  if (position === undefined) throw new Error('the roll-up of notices has no position');
  return position.rolledUpTo;
}

/** Counts one step; true when there is nothing more, or another node is at it. */
async function rollUpStep(tx: Transaction, now: Date, stepAttempts: number): Promise<boolean> {
  const position = await tx.one(lockNoticeRollUp);
  if (position === undefined) return true;
  const { rolledUpTo } = position;
  const span = await tx.one(findRollUpSpan, [rolledUpTo, now, SETTLED_AFTER_MS, stepAttempts]);
  if (span === undefined) throw new Error('a span has no row');
  if (span.to > span.from) {
    await tx.query(addNoticeHours, [span.from, span.to]);
    await tx.query(moveNoticeRollUp, [span.to]);
  }
  return span.isLast;
}
