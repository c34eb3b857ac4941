import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Per connection: enough for two weeks of retries, or for 15 minutes at the minimum interval. */
const ATTEMPTS_RETAINED_MAX = 1_000;
/** More than twice the 14 days for which a webhook may fail. */
const AGE_MS_MAX = 30 * 24 * 3_600_000;
/** The number of rows that one statement can delete in a few milliseconds. */
const BATCH_ROWS = 1_000;
const PAGE_WEBHOOKS = 5_000;
/** The maximum number of statements in one run. The next run continues. */
const STATEMENTS_MAX = 2_000;

interface PageResult {
  readonly deleted: number;
  readonly last: { readonly shopId: string; readonly connectionId: string } | null;
}

// `skip locked`: concurrent nodes delete different rows.
export const deleteOldAttempts = statement(
  'delete_old_webhook_attempts',
  `with old as materialized (
     select shop_id, connection_id, number from webhook_attempt
      where started_at < $1 order by started_at limit $2 for update skip locked
   )
   delete from webhook_attempt a using old
    where a.shop_id = old.shop_id and a.connection_id = old.connection_id and a.number = old.number`,
);

export const deleteExcessAttempts = statement<PageResult>(
  'delete_excess_webhook_attempts',
  `with page as materialized (
     select shop_id, connection_id, attempts_made from webhook
      where (shop_id, connection_id) > ($1::uuid, $2::uuid)
      order by shop_id, connection_id limit $3
   ), excess as materialized (
     select attempt.shop_id, attempt.connection_id, attempt.number
       from page cross join lateral (
         select a.shop_id, a.connection_id, a.number from webhook_attempt a
          where a.shop_id = page.shop_id and a.connection_id = page.connection_id
            and a.number <= page.attempts_made - $4
          order by a.number limit $5 for update skip locked
       ) attempt
      where page.attempts_made > $4
      limit $5
   ), gone as (
     delete from webhook_attempt a using excess
      where a.shop_id = excess.shop_id and a.connection_id = excess.connection_id and a.number = excess.number
     returning 1
   )
   select (select count(*)::int from gone) as deleted, (
       select jsonb_build_object('shopId', shop_id, 'connectionId', connection_id)
         from page order by shop_id desc, connection_id desc limit 1
     ) as last`,
);

// Citus supports neither `skip locked` nor a limit for a delete that spans shops, so each of these
// statements deletes all its rows.
export const deleteOldAttemptsOnCitus = statement(
  'delete_old_webhook_attempts_on_citus',
  'delete from webhook_attempt where started_at < $1',
);

export const deleteExcessAttemptsOnCitus = statement(
  'delete_excess_webhook_attempts_on_citus',
  `delete from webhook_attempt a using webhook w
    where w.shop_id = a.shop_id and w.connection_id = a.connection_id
      and w.attempts_made > $1::bigint and a.number <= w.attempts_made - $1::bigint`,
);

const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Deletes the attempts older than 30 days, including those of ended connections, and all but the
 * newest 1,000 of each connection. Returns how many it deleted. Nodes may run this concurrently.
 */
export async function cleanUpAttempts(
  db: Queryable,
  now: Date,
  signal?: AbortSignal,
): Promise<number> {
  let statementsLeft = STATEMENTS_MAX;
  let total = 0;
  const canContinue = (): boolean => statementsLeft-- > 0 && signal?.aborted !== true;
  const before = new Date(now.getTime() - AGE_MS_MAX);
  if (await db.isDistributed()) {
    const old = canContinue() ? await db.count(deleteOldAttemptsOnCitus, [before]) : 0;
    const limit = [ATTEMPTS_RETAINED_MAX];
    return old + (canContinue() ? await db.count(deleteExcessAttemptsOnCitus, limit) : 0);
  }
  while (canContinue()) {
    const deleted = await db.count(deleteOldAttempts, [before, BATCH_ROWS]);
    total += deleted;
    if (deleted < BATCH_ROWS) break;
  }
  let [shopId, connectionId] = [LOWEST_ID, LOWEST_ID];
  while (canContinue()) {
    const values = [shopId, connectionId, PAGE_WEBHOOKS, ATTEMPTS_RETAINED_MAX, BATCH_ROWS];
    const page = await db.one(deleteExcessAttempts, values);
    total += page?.deleted ?? 0;
    // After a full batch, the same page may have more rows to delete.
    if (page?.deleted === BATCH_ROWS) continue;
    const last = page?.last ?? null;
    if (last === null) break;
    [shopId, connectionId] = [last.shopId, last.connectionId];
  }
  return total;
}
