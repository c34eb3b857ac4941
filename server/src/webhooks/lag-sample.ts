import type { Database, Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Time between two samples, as PostgreSQL takes it: four an hour, on the quarters. */
const SAMPLE_EVERY = '15 minutes';
/** How long they are kept: over a weekend. */
const KEPT_MS = 3 * 24 * 3_600_000;
/** Samples that one statement returns at most: more than are kept of a connection. */
const SAMPLES_READ_MAX = 400;
/** Rows that one statement deletes at most: some tens of milliseconds. */
const BATCH_ROWS = 5_000;
/** Statements of one run; what is left is done by the next. */
const STATEMENTS_MAX = 200;

/** How many changes a connection lay behind its shop's feed at an instant. */
export interface LagSample {
  readonly sampledAt: Date;
  readonly changes: number;
}

// Whoever moves the instant on takes the samples. By the earlier of both clocks: a node that is ahead would keep the others
// from sampling until they are there too.
export const takeLagTurn = statement<Pick<LagSample, 'sampledAt'>>(
  'take_lag_turn',
  `update lag_sampling s set sampled_at = due.at
     from (
       select only_row, date_trunc('milliseconds', least($1::timestamptz, now())) as at
         from lag_sampling
        where only_row and sampled_at < date_bin($2::text::interval, least($1::timestamptz, now()),
              timestamptz '2000-01-01T00:00:00Z')
          for update skip locked
     ) due
    where s.only_row = due.only_row
   returning s.sampled_at as "sampledAt"`,
);

// As the shop is shown it (`shown-connection.ts`): who never read, or with a cursor of another epoch, has all before him.
export const insertLagSamples = statement(
  'insert_lag_samples',
  `insert into lag_sample (shop_id, connection_id, sampled_at, changes)
   select c.shop_id, c.connection_id, $1,
          case when r.epoch = head.epoch and r.seq <= head.seq then head.seq - r.seq
            else coalesce(head.seq, 0) end
     from connection c
     left join feed_head head on head.shop_id = c.shop_id
     left join feed_read r on r.shop_id = c.shop_id and r.connection_id = c.connection_id
    where c.status = 'active'`,
);

export const readLagSampleRows = statement<LagSample>(
  'read_lag_samples',
  `select sampled_at as "sampledAt", changes from lag_sample
    where shop_id = $1 and connection_id = $2 and sampled_at >= $3
    order by sampled_at limit $4`,
);

export const deleteOldLagSamples = statement(
  'delete_old_lag_samples',
  `with old as materialized (
     select shop_id, connection_id, sampled_at from lag_sample
      where sampled_at < $1 order by sampled_at limit $2 for update skip locked
   )
   delete from lag_sample s using old
    where s.shop_id = old.shop_id and s.connection_id = old.connection_id and s.sampled_at = old.sampled_at`,
);

/**
 * Samples how far each active connection lies behind, when a quarter of an hour has begun since the last time: one of all
 * nodes does it, and the instant moves on together with the samples (decision 0193).
 *
 * @returns how many samples were taken
 */
export async function sampleLag(db: Database, now: Date): Promise<number> {
  return await db.transaction(async (tx) => {
    const turn = await tx.one(takeLagTurn, [now, SAMPLE_EVERY]);
    return turn === undefined ? 0 : await tx.count(insertLagSamples, [turn.sampledAt]);
  });
}

/** The samples of a connection from `since` on, in their order; those of three days are kept. */
export async function readLagSamples(
  db: Queryable,
  shopId: string,
  connectionId: string,
  since: Date,
): Promise<readonly LagSample[]> {
  return await db.query(readLagSampleRows, [shopId, connectionId, since, SAMPLES_READ_MAX]);
}

/** Deletes samples that are older than three days, in batches. Safe on all nodes at once; `signal` stops it between two. */
export async function cleanUpLagSamples(
  db: Queryable,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  const before = new Date(now.getTime() - KEPT_MS);
  let total = 0;
  for (let run = 0; run < STATEMENTS_MAX && signal?.aborted !== true; run++) {
    const deleted = await db.count(deleteOldLagSamples, [before, BATCH_ROWS]);
    total += deleted;
    if (deleted < BATCH_ROWS) break;
  }
  return total;
}
