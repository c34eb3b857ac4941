import { networkOf } from '../base/network.ts';
import { hashSecret, newId, newSecret } from '../base/secrets.ts';
import { CLEANED_ROWS_MAX } from '../database/cleaner.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Actor, recordAuditOfAccount } from './audit.ts';

/** A session ends after this time even if it is in use (OWASP: a working day). */
export const SESSION_LIFETIME_SECONDS = 12 * 60 * 60;
/** An idle session ends after this time, so that an abandoned browser does not stay signed in. */
const IDLE_SECONDS = 60 * 60;
/** `last_seen_at` is written at most this often, so that page views do not each write a row. */
const LAST_SEEN_STEP_SECONDS = 60;

export interface Session {
  /** Identifies the session in the account's list. It is not secret. */
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface SessionOrigin {
  /** The beginning of the `User-Agent` header, or empty if the header is missing. */
  readonly browser: string;
  /** The network of the client's address, in the form that `networkOf` returns. */
  readonly network: string;
  readonly way: 'password' | 'passkey';
  /** The passkey that opened the session. Removing that passkey ends the session. */
  readonly passkeyId?: string;
}

/**
 * The maximum length of the stored `User-Agent`. The schema has the same limit
 * (0016_sign_in_ways.sql). Browsers identify themselves within the first 150 code points.
 */
const BROWSER_CODE_POINTS_MAX = 200;
const UNKNOWN_ORIGIN: SessionOrigin = { browser: '', network: 'unknown', way: 'password' };

/** Removes the characters from `userAgent` that PostgreSQL cannot store. */
export function sessionOrigin(
  userAgent: string | undefined,
  address: string,
  way: SessionOrigin['way'],
): SessionOrigin {
  const plain = (userAgent ?? '').toWellFormed().replaceAll('\0', '');
  const browser = Array.from(plain).slice(0, BROWSER_CODE_POINTS_MAX).join('');
  return { browser, network: networkOf(address), way };
}

/** The secret is always new, to prevent session fixation, and only its SHA-256 is stored. */
export async function startSession(
  db: Queryable,
  accountId: string,
  now: Date,
  { browser, network, way, passkeyId }: SessionOrigin = UNKNOWN_ORIGIN,
): Promise<{ readonly secret: string; readonly expiresAt: Date }> {
  const secret = newSecret('cpw');
  const expiresAt = new Date(now.getTime() + SESSION_LIFETIME_SECONDS * 1_000);
  const origin = [browser, network, way, passkeyId ?? null];
  await db.query(insertSession, [
    hashSecret(secret),
    accountId,
    now,
    expiresAt,
    newId(),
    ...origin,
  ]);
  return { secret, expiresAt };
}

/**
 * Finds a session. Undefined if the secret is unknown, or the session is older than 12 hours or was
 * idle for an hour.
 */
export async function findSession(
  db: Queryable,
  secret: string,
  now: Date,
): Promise<Session | undefined> {
  const hash = hashSecret(secret);
  const row = await db.one(selectSession, [hash, now, idleCutoff(now)]);
  if (row === undefined) return undefined;
  const { lastSeenAt, ...session } = row;
  if (now.getTime() - lastSeenAt.getTime() >= LAST_SEEN_STEP_SECONDS * 1_000) {
    await db.query(touchSession, [hash, now]);
  }
  return session;
}

export async function endSession(db: Queryable, secret: string): Promise<void> {
  await db.query(deleteSession, [hashSecret(secret)]);
}

/**
 * Ends the sessions of an account after a password change or deactivation. `shopId` is the shop of
 * another member who made the change.
 */
export async function endSessionsOfAccount(
  tx: Transaction,
  accountId: string,
  now: Date,
  by: Actor,
  shopId: string | null = null,
): Promise<void> {
  const ended = await tx.one(deleteSessionsOfAccount, [accountId, now, idleCutoff(now)]);
  await recordEndOfSessions(tx, accountId, ended?.sessions ?? 0, now, by, shopId);
}

export async function endSessionsOfPasskey(
  tx: Transaction,
  accountId: string,
  passkeyId: string,
  now: Date,
  by: Actor,
): Promise<void> {
  const values = [accountId, passkeyId, now, idleCutoff(now)];
  const ended = await tx.one(deleteSessionsOfPasskey, values);
  await recordEndOfSessions(tx, accountId, ended?.sessions ?? 0, now, by);
}

/** `sessions` excludes those that had already expired. */
export async function recordEndOfSessions(
  tx: Transaction,
  accountId: string,
  sessions: number,
  now: Date,
  by: Actor,
  shopId: string | null = null,
): Promise<void> {
  if (sessions === 0) return;
  const subject = { kind: 'member', id: accountId, name: null } as const;
  const event = { action: 'account.sessions_ended', subject, details: { sessions } } as const;
  await recordAuditOfAccount(tx, accountId, by, event, now, shopId);
}

/**
 * Records that a session has shown the one-time secret whose cookie expires at `endsAt` (decision
 * 0194). Returns false if the session has already shown that secret or a newer one.
 */
export async function markSecretShown(
  db: Queryable,
  secret: string,
  endsAt: Date,
): Promise<boolean> {
  return (await db.count(updateSecretShown, [hashSecret(secret), endsAt])) > 0;
}

export function idleCutoff(now: Date): Date {
  return new Date(now.getTime() - IDLE_SECONDS * 1_000);
}

/** Deletes at most 1,000 ended sessions without waiting for locks, and returns their number. */
export async function cleanSessions(db: Queryable, now: Date): Promise<number> {
  return await db.count(deleteExpiredSessions, [now, idleCutoff(now), CLEANED_ROWS_MAX]);
}

export const insertSession = statement(
  'insert_session',
  `insert into session
     (session_hash, account_id, created_at, last_seen_at, expires_at, session_id, browser, network,
      way, passkey_id)
   values ($1, $2, $3, $3, $4, $5, $6, $7, $8, $9)`,
);

export const selectSession = statement<Session & { readonly lastSeenAt: Date }>(
  'select_session',
  `select session_id as id, account_id as "accountId", created_at as "createdAt",
          expires_at as "expiresAt", last_seen_at as "lastSeenAt"
     from session
    where session_hash = $1 and expires_at > $2 and last_seen_at > $3`,
);

export const touchSession = statement(
  'touch_session',
  `update session set last_seen_at = $2 where session_hash = $1 and last_seen_at < $2`,
);

export const updateSecretShown = statement(
  'update_secret_shown',
  `update session set secret_shown_at = $2
    where session_hash = $1 and (secret_shown_at is null or secret_shown_at < $2)`,
);

export const deleteSession = statement(
  'delete_session',
  `delete from session where session_hash = $1`,
);

export const deleteSessionsOfAccount = statement<{ readonly sessions: number }>(
  'delete_sessions_of',
  `with gone as (
     delete from session where account_id = $1 returning expires_at, last_seen_at)
   select count(*) filter (where expires_at > $2 and last_seen_at > $3)::int as sessions
     from gone`,
);

export const deleteSessionsOfPasskey = statement<{ readonly sessions: number }>(
  'delete_sessions_of_passkey',
  `with gone as (
     delete from session where account_id = $1 and passkey_id = $2
     returning expires_at, last_seen_at)
   select count(*) filter (where expires_at > $3 and last_seen_at > $4)::int as sessions
     from gone`,
);

export const deleteExpiredSessions = statement(
  'delete_expired_sessions',
  `delete from session where session_hash in (
     select session_hash from session
      where expires_at <= $1 or last_seen_at <= $2
      limit $3 for update skip locked)`,
);
