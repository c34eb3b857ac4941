import { networkOf } from '../base/network.ts';
import { hashSecret } from '../base/secrets.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** Length of the window in which attempts are counted. */
const WINDOW_MS = 60_000;
/** Rows that one clean-up statement deletes: bounds how long it holds locks. */
const CLEANUP_ROWS_MAX = 1_000;

/** Who is let in: a person by e-mail address (`emailForm`), an app by client id, or whoever comes from an address. */
export type AttemptKind = 'person' | 'app' | 'anybody';

export type AttemptAnswer =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number };

/**
 * What attempts are counted by: the name that was given, in its one form, and the network it came from. Holds neither
 * in plain.
 */
export function attemptKey(kind: AttemptKind, name: string, address: string): string {
  return hashSecret(`${kind}\n${name}\n${networkOf(address)}`);
}

/**
 * Counts an attempt before it is made, so that many at once cannot slip past each other, on whichever node they arrive.
 * `limit` attempts within a minute pass; take a successful one back with `forgetAttempt`.
 */
export async function countAttempt(
  db: Queryable,
  key: string,
  limit: number,
  now: Date,
): Promise<AttemptAnswer> {
  const row = await db.one(upsertAttempt, [key, now, new Date(now.getTime() - WINDOW_MS)]);
  if (row === undefined) throw new Error('an upsert returned no row');
  if (row.attemptCount <= limit) return { kind: 'allowed' };
  const endsAtMs = row.windowStartedAt.getTime() + WINDOW_MS;
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAtMs - now.getTime()) / 1_000));
  return { kind: 'throttled', retryAfterSeconds };
}

/** Takes a successful attempt back: only failures count. */
export async function forgetAttempt(db: Queryable, key: string): Promise<void> {
  await db.query(decrementAttempt, [key]);
}

/** Deletes at most 1,000 counters whose minute is over; returns how many. Waits for nobody (`skip locked`). */
export async function cleanAttempts(db: Queryable, now: Date): Promise<number> {
  return await db.count(deleteOldAttempts, [new Date(now.getTime() - WINDOW_MS), CLEANUP_ROWS_MAX]);
}

export const upsertAttempt = statement<{
  readonly attemptCount: number;
  readonly windowStartedAt: Date;
}>(
  'upsert_attempt',
  `insert into sign_in_attempt as a (key_hash, window_started_at, attempt_count)
   values ($1, $2, 1)
   on conflict (key_hash) do update
     set attempt_count = case when a.window_started_at <= $3 then 1 else a.attempt_count + 1 end,
         window_started_at =
           case when a.window_started_at <= $3 then excluded.window_started_at
                else a.window_started_at end
   returning attempt_count as "attemptCount", window_started_at as "windowStartedAt"`,
);

export const decrementAttempt = statement(
  'decrement_attempt',
  `update sign_in_attempt set attempt_count = attempt_count - 1
    where key_hash = $1 and attempt_count > 0`,
);

export const deleteOldAttempts = statement(
  'delete_old_attempts',
  `delete from sign_in_attempt where key_hash in (
     select key_hash from sign_in_attempt
      where window_started_at <= $1
      limit $2 for update skip locked)`,
);
