import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import { type Actor, recordAuditOfAccount } from './audit.ts';
import { IDLE_SECONDS, type SessionOrigin } from './session.ts';

/** Sessions that are listed: a person has a few, and a script that signs in again and again has too many to show. */
const SESSIONS_LISTED_MAX = 100;

/** A signed-in browser as its person sees it. */
export interface ListedSession extends SessionOrigin {
  readonly id: string;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

/** The sessions of an account that are open, the one seen last first; at most 100. */
export async function listSessions(
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<readonly ListedSession[]> {
  return await db.query(selectSessionsOf, [accountId, now, idleSince(now), SESSIONS_LISTED_MAX]);
}

/** How many sessions of an account are open. */
export async function countSessions(db: Queryable, accountId: string, now: Date): Promise<number> {
  return (await db.one(countSessionsOf, [accountId, now, idleSince(now)]))?.sessions ?? 0;
}

/** Signs one browser of the account out. False when it has no such session. */
export async function endSessionOfId(
  tx: Transaction,
  accountId: string,
  sessionId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  const ended = await tx.count(deleteSessionOfId, [accountId, sessionId]);
  await recordEnd(tx, accountId, ended, now, by);
  return ended > 0;
}

/** Signs the account out of every browser but the one whose session is named. Returns how many. */
export async function endOtherSessions(
  tx: Transaction,
  accountId: string,
  keptSessionId: string,
  now: Date,
  by: Actor,
): Promise<number> {
  const ended = await tx.count(deleteOtherSessions, [accountId, keptSessionId]);
  await recordEnd(tx, accountId, ended, now, by);
  return ended;
}

async function recordEnd(
  tx: Transaction,
  accountId: string,
  sessions: number,
  now: Date,
  by: Actor,
): Promise<void> {
  if (sessions === 0) return;
  const subject = { kind: 'member', id: accountId, name: null } as const;
  const event = { action: 'account.sessions_ended', subject, details: { sessions } } as const;
  await recordAuditOfAccount(tx, accountId, by, event, now);
}

function idleSince(now: Date): Date {
  return new Date(now.getTime() - IDLE_SECONDS * 1_000);
}

export const selectSessionsOf = statement<ListedSession>(
  'select_sessions_of',
  `select session_id as id, browser, network, way, created_at as "createdAt",
          last_seen_at as "lastSeenAt", expires_at as "expiresAt"
     from session
    where account_id = $1 and expires_at > $2 and last_seen_at > $3
    order by last_seen_at desc, session_id
    limit $4`,
);

export const countSessionsOf = statement<{ readonly sessions: number }>(
  'count_sessions_of',
  `select count(*)::int as sessions
     from session where account_id = $1 and expires_at > $2 and last_seen_at > $3`,
);

export const deleteSessionOfId = statement(
  'delete_session_of_id',
  `delete from session where account_id = $1 and session_id = $2`,
);

export const deleteOtherSessions = statement(
  'delete_other_sessions',
  `delete from session where account_id = $1 and session_id <> $2`,
);
