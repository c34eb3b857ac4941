import { networkOf } from '../base/network.ts';
import { hashSecret } from '../base/secrets.ts';
import { createCleaner } from '../database/cleaner.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

const WINDOW_MS = 60_000;

/**
 * Attempts are counted by network, those of a `person` also by email address (`normalizeEmail`),
 * and those of an `app` also by client id.
 */
export type AttemptKind = 'person' | 'app' | 'anybody';

export type ThrottleResult =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number };

export function attemptKey(kind: AttemptKind, name: string, address: string): string {
  return hashSecret(`${kind}\n${name}\n${networkOf(address)}`);
}

/**
 * Counts an attempt before it is made, so that concurrent attempts on any nodes cannot bypass the
 * limit. Allows `limit` attempts per minute. Call `refundAttempt` after a success.
 */
export async function countAttempt(
  db: Queryable,
  key: string,
  limit: number,
  now: Date,
): Promise<ThrottleResult> {
  const row = await db.one(upsertAttempt, [key, now, new Date(now.getTime() - WINDOW_MS)]);
  if (row === undefined) throw new Error('an upsert returned no row');
  if (row.attemptCount <= limit) return { kind: 'allowed' };
  const endsAtMs = row.windowStartedAt.getTime() + WINDOW_MS;
  const retryAfterSeconds = Math.max(1, Math.ceil((endsAtMs - now.getTime()) / 1_000));
  return { kind: 'throttled', retryAfterSeconds };
}

/** Call this after a success, so that only failures count. */
export async function refundAttempt(db: Queryable, key: string): Promise<void> {
  await db.query(decrementAttempt, [key]);
}

/** `burst` failures are allowed immediately, and one more after each `refillMs`. */
export interface FailureBudget {
  readonly burst: number;
  readonly refillMs: number;
}

/**
 * The budget of one account for all unknown browsers together: 100 failures in any hour (NIST SP
 * 800-63B §5.2.2).
 */
export const UNKNOWN_DEVICES_BUDGET: FailureBudget = { burst: 60, refillMs: 90_000 };
/** The budget of one account for one browser that has signed in before: 10 failures in any hour. */
export const DEVICE_BUDGET: FailureBudget = { burst: 5, refillMs: 720_000 };

/** For one account, by the person and by a shop's managers each: 3 resets, then 3 an hour. */
export const RESET_ADDRESS_BUDGET: FailureBudget = { burst: 3, refillMs: 1_200_000 };
/** The limit for reset mails requested from one network: 20 immediately, then 30 an hour. */
export const RESET_NETWORK_BUDGET: FailureBudget = { burst: 20, refillMs: 120_000 };

export type BudgetKind = 'account' | 'device' | 'signed in' | 'reset' | 'reset network' | 'manager';

/** Returns the key under which the failures from all networks are counted. The name is hashed. */
export function budgetKey(kind: BudgetKind, name: string): string {
  return hashSecret(`${kind}\n${name}`);
}

/**
 * Counts an attempt as a failure before it is made, across all nodes (a leaky bucket: GCRA).
 * Refused attempts are not counted. Call `refundFailure` after a success.
 */
export async function spendFailure(
  db: Queryable,
  key: string,
  { burst, refillMs }: FailureBudget,
  now: Date,
): Promise<ThrottleResult> {
  const latest = new Date(now.getTime() + burst * refillMs);
  const first = new Date(now.getTime() + refillMs);
  const values = [key, now, first, refillMs, latest];
  if ((await db.one(upsertBudget, values)) !== undefined) return { kind: 'allowed' };
  const spent = await db.one(selectBudget, [key]);
  const fitsAtMs = (spent?.emptyAt ?? now).getTime() + refillMs - burst * refillMs;
  const retryAfterSeconds = Math.max(1, Math.ceil((fitsAtMs - now.getTime()) / 1_000));
  return { kind: 'throttled', retryAfterSeconds };
}

export async function refundFailure(
  db: Queryable,
  key: string,
  { refillMs }: FailureBudget,
): Promise<void> {
  await db.query(refundBudget, [key, refillMs]);
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

export const cleanAttempts = createCleaner(deleteOldAttempts, WINDOW_MS);

export const upsertBudget = statement<{ readonly emptyAt: Date }>(
  'upsert_budget',
  `insert into sign_in_budget as b (key_hash, empty_at) values ($1, $3)
   on conflict (key_hash) do update
     set empty_at = greatest(b.empty_at, $2) + $4::int * interval '1 millisecond'
   where greatest(b.empty_at, $2) + $4::int * interval '1 millisecond' <= $5
   returning empty_at as "emptyAt"`,
);

export const selectBudget = statement<{ readonly emptyAt: Date }>(
  'select_budget',
  `select empty_at as "emptyAt" from sign_in_budget where key_hash = $1`,
);

export const refundBudget = statement(
  'lower_budget',
  `update sign_in_budget set empty_at = empty_at - $2::int * interval '1 millisecond'
    where key_hash = $1`,
);

export const deleteEmptyBudgets = statement(
  'delete_empty_budgets',
  `delete from sign_in_budget where key_hash in (
     select key_hash from sign_in_budget
      where empty_at <= $1
      limit $2 for update skip locked)`,
);

/** Deletes budgets without recent failures, because they are full again. */
export const cleanBudgets = createCleaner(deleteEmptyBudgets);
