import { newOrderedId } from '../base/ordered-id.ts';
import { createCleaner } from '../database/cleaner.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { recordAuditOfAccount, SERVICE } from './audit.ts';
import type { SessionOrigin } from './session.ts';

/** Attempts with an equal outcome and origin within this time share one record. */
const RECORD_MS = 3_600_000;
/** A limit for each outcome, so that failures do not displace sign-ins. */
const RECORDS_PER_OUTCOME_MAX = 50;
const RETENTION_DAYS = 90;
const DAY_MS = 86_400_000;
/** This many failures in an hour start a burst. It ends after an hour without a failure. */
const BURST_FAILURES = 10;
const HOUR_MS = 3_600_000;

export type SignInOutcome = 'signed_in' | 'failed';

export interface SignInRecord extends Pick<SessionOrigin, 'browser' | 'network' | 'way'> {
  readonly outcome: SignInOutcome;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly attempts: number;
}

/**
 * Records a sign-in. Each new record also adds an entry to the audit log of every shop where the
 * account is an active member.
 */
export async function recordSignIn(
  tx: Transaction,
  accountId: string,
  origin: SessionOrigin,
  now: Date,
): Promise<void> {
  if (!(await addToRecord(tx, accountId, 'signed_in', origin, now))) return;
  const by = { kind: 'member', accountId } as const;
  const subject = { kind: 'member', id: accountId, name: null } as const;
  // Leave out the network: it is private, and the account may belong to several shops.
  const event = { action: 'account.signed_in', subject, details: { way: origin.way } } as const;
  await recordAuditOfAccount(tx, accountId, by, event, now);
}

export type FailureResult =
  | { readonly kind: 'counted' }
  /**
   * This failure started a burst. `isMailDue` is true if no email was sent to the account for a
   * day.
   */
  | { readonly kind: 'burst'; readonly failures: number; readonly isMailDue: boolean };

/** Records a failed sign-in. A burst adds one audit entry in each of the account's shops. */
export async function recordFailedSignIn(
  tx: Transaction,
  accountId: string,
  origin: SessionOrigin,
  now: Date,
): Promise<FailureResult> {
  // This row's lock serializes the failures of one account.
  const hourAgo = new Date(now.getTime() - HOUR_MS);
  const burst = await tx.one(countFailure, [accountId, now, hourAgo]);
  if (burst === undefined) throw new Error('an upsert returned no row');
  await addToRecord(tx, accountId, 'failed', origin, now);
  const { failures, isBurst, mailedAt } = burst;
  if (isBurst || failures < BURST_FAILURES) return { kind: 'counted' };
  const isMailDue = mailedAt === null || mailedAt.getTime() <= now.getTime() - DAY_MS;
  await tx.query(beginBurst, [accountId, now, isMailDue]);
  const subject = { kind: 'member', id: accountId, name: null } as const;
  const event = { action: 'account.sign_ins_failed', subject, details: { failures } } as const;
  await recordAuditOfAccount(tx, accountId, SERVICE, event, now);
  return { kind: 'burst', failures, isMailDue };
}

/** Lists at most 50 sign-ins and 50 failed attempts, newest first. */
export async function listSignInRecords(
  db: Queryable,
  accountId: string,
): Promise<readonly SignInRecord[]> {
  // Records that were started concurrently can exceed the limit until the next record is added.
  return await db.query(selectSignInRecords, [accountId, 2 * RECORDS_PER_OUTCOME_MAX]);
}

async function addToRecord(
  tx: Transaction,
  accountId: string,
  outcome: SignInOutcome,
  { way, network, browser }: SessionOrigin,
  now: Date,
): Promise<boolean> {
  const recordKey = [accountId, outcome, way, network, browser, now];
  const since = new Date(now.getTime() - RECORD_MS);
  if ((await tx.count(addToSignInRecord, [...recordKey, since])) > 0) return false;
  await tx.query(insertSignInRecord, [...recordKey, newOrderedId(now)]);
  await tx.query(trimSignInRecords, [accountId, outcome, RECORDS_PER_OUTCOME_MAX]);
  return true;
}

export const addToSignInRecord = statement(
  'add_to_sign_in_record',
  `update sign_in_record set attempts = attempts + 1, last_at = $6
    where account_id = $1 and outcome = $2 and way = $3 and network = $4 and browser = $5
      and first_at > $7`,
);

export const insertSignInRecord = statement(
  'insert_sign_in_record',
  `insert into sign_in_record
     (account_id, outcome, way, network, browser, first_at, last_at, attempts, record_id)
   values ($1, $2, $3, $4, $5, $6, $6, 1, $7)`,
);

export const trimSignInRecords = statement(
  'trim_sign_in_records',
  `delete from sign_in_record
    where account_id = $1 and outcome = $2 and record_id < (
      select min(record_id::text)::uuid from (
        select record_id from sign_in_record where account_id = $1 and outcome = $2
         order by record_id desc limit $3) newest)`,
);

export const selectSignInRecords = statement<SignInRecord>(
  'select_sign_in_records',
  `select outcome, way, network, browser, first_at as "firstAt", last_at as "lastAt", attempts
     from sign_in_record
    where account_id = $1
    order by last_at desc, record_id desc
    limit $2`,
);

export const deleteOldSignInRecords = statement(
  'delete_old_sign_in_records',
  `delete from sign_in_record where (account_id, record_id) in (
     select account_id, record_id from sign_in_record
      where last_at <= $1
      limit $2 for update skip locked)`,
);

export const cleanSignInRecords = createCleaner(deleteOldSignInRecords, RETENTION_DAYS * DAY_MS);

export const countFailure = statement<{
  readonly failures: number;
  readonly isBurst: boolean;
  readonly mailedAt: Date | null;
}>(
  'count_failure',
  `insert into sign_in_burst as b (account_id, counted_since, failures, last_failure_at)
   values ($1, $2, 1, $2)
   on conflict (account_id) do update
     set failures = case when b.counted_since <= $3 then 1 else b.failures + 1 end,
         counted_since = case when b.counted_since <= $3 then $2 else b.counted_since end,
         burst_at = case when b.last_failure_at > $3 then b.burst_at end,
         last_failure_at = $2
   returning failures, burst_at is not null as "isBurst", mailed_at as "mailedAt"`,
);

export const beginBurst = statement(
  'begin_burst',
  `update sign_in_burst set burst_at = $2, mailed_at = case when $3 then $2 else mailed_at end
    where account_id = $1`,
);

export const deleteOldBursts = statement(
  'delete_old_bursts',
  `delete from sign_in_burst where account_id in (
     select account_id from sign_in_burst
      where last_failure_at <= $1
      limit $2 for update skip locked)`,
);

/** Deletes the counters of accounts that had no failure for a day, and therefore no email. */
export const cleanSignInBursts = createCleaner(deleteOldBursts, DAY_MS);
