import type { Queryable, Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { Actor } from './audit.ts';
import { idleCutoff, recordEndOfSessions, type SessionOrigin } from './session.ts';

/** A person has a few sessions, but a script that keeps signing in can have thousands. */
const SESSIONS_LISTED_MAX = 100;

export interface ListedSession extends Omit<SessionOrigin, 'passkeyId'> {
  readonly id: string;
  readonly createdAt: Date;
  /** The time of the last request, precise to the minute. */
  readonly lastSeenAt: Date;
  readonly expiresAt: Date;
}

export async function listSessions(
  db: Queryable,
  accountId: string,
  now: Date,
): Promise<readonly ListedSession[]> {
  return await db.query(selectSessionsOfAccount, [
    accountId,
    now,
    idleCutoff(now),
    SESSIONS_LISTED_MAX,
  ]);
}

export async function countSessions(db: Queryable, accountId: string, now: Date): Promise<number> {
  return (await db.one(countSessionsOfAccount, [accountId, now, idleCutoff(now)]))?.sessions ?? 0;
}

export async function endSessionById(
  tx: Transaction,
  accountId: string,
  sessionId: string,
  now: Date,
  by: Actor,
): Promise<boolean> {
  const values = [accountId, sessionId, now, idleCutoff(now)];
  const ended = await tx.count(deleteSessionOfId, values);
  await recordEndOfSessions(tx, accountId, ended, now, by);
  return ended > 0;
}

export async function endOtherSessions(
  tx: Transaction,
  accountId: string,
  keptSessionId: string,
  now: Date,
  by: Actor,
): Promise<number> {
  const values = [accountId, keptSessionId, now, idleCutoff(now)];
  const ended = (await tx.one(deleteOtherSessions, values))?.sessions ?? 0;
  await recordEndOfSessions(tx, accountId, ended, now, by);
  return ended;
}

export const selectSessionsOfAccount = statement<ListedSession>(
  'select_sessions_of',
  `select session_id as id, browser, network, way, created_at as "createdAt",
          last_seen_at as "lastSeenAt", expires_at as "expiresAt"
     from session
    where account_id = $1 and expires_at > $2 and last_seen_at > $3
    order by last_seen_at desc, session_id
    limit $4`,
);

export const countSessionsOfAccount = statement<{ readonly sessions: number }>(
  'count_sessions_of',
  `select count(*)::int as sessions
     from session where account_id = $1 and expires_at > $2 and last_seen_at > $3`,
);

export const deleteSessionOfId = statement(
  'delete_session_of_id',
  `delete from session
    where account_id = $1 and session_id = $2 and expires_at > $3 and last_seen_at > $4`,
);

export const deleteOtherSessions = statement<{ readonly sessions: number }>(
  'delete_other_sessions',
  `with gone as (
     delete from session where account_id = $1 and session_id <> $2
     returning expires_at, last_seen_at)
   select count(*) filter (where expires_at > $3 and last_seen_at > $4)::int as sessions
     from gone`,
);
