import { hashSecret } from '../base/secrets.ts';
import { CLEANED_ROWS_MAX, createCleaner } from '../database/cleaner.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** How long a challenge is valid: enough time to find a security key. */
export const CHALLENGE_SECONDS = 300;
/** The maximum number of pending registrations of one account, such as one for each open tab. */
const PER_ACCOUNT_MAX = 5;
/** Far above normal use. At this limit, each new sign-in deletes the oldest challenge. */
const PENDING_MAX = 20_000;

/**
 * `challenge` is base64url of at least 16 random bytes; only its SHA-256 is stored. `accountId` is
 * the account that registers a passkey, or null for a sign-in.
 */
export async function saveChallenge(
  db: Queryable,
  challenge: string,
  accountId: string | null,
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + CHALLENGE_SECONDS * 1_000);
  await db.query(insertChallenge, [hashSecret(challenge), accountId, expiresAt]);
  if (accountId !== null) await db.query(trimChallengesOfAccount, [accountId, PER_ACCOUNT_MAX]);
  else await db.query(trimChallenges, [PENDING_MAX - 1, CLEANED_ROWS_MAX]);
}

/** Returns false if the challenge has expired, was consumed, or is not for this `accountId`. */
export async function consumeChallenge(
  db: Queryable,
  challenge: string,
  accountId: string | null,
  now: Date,
): Promise<boolean> {
  return (await db.count(deleteChallenge, [hashSecret(challenge), accountId, now])) > 0;
}

export const insertChallenge = statement(
  'insert_passkey_challenge',
  `insert into passkey_challenge (challenge_hash, account_id, expires_at) values ($1, $2, $3)`,
);

export const trimChallengesOfAccount = statement(
  'trim_passkey_challenges_of',
  `delete from passkey_challenge where challenge_hash in (
     select challenge_hash from passkey_challenge
      where account_id = $1
      order by expires_at desc offset $2)`,
);

// Rows that `offset` skips would be locked too, so the oldest row to keep is read without a lock.
export const trimChallenges = statement(
  'trim_passkey_challenges',
  `delete from passkey_challenge where challenge_hash in (
     select challenge_hash from passkey_challenge
      where expires_at < (
        select expires_at from passkey_challenge order by expires_at desc offset $1 limit 1)
      limit $2 for update skip locked)`,
);

export const deleteChallenge = statement(
  'delete_passkey_challenge',
  `delete from passkey_challenge
    where challenge_hash = $1 and account_id is not distinct from $2::uuid and expires_at > $3`,
);

export const deleteExpiredChallenges = statement(
  'delete_expired_passkey_challenges',
  `delete from passkey_challenge where challenge_hash in (
     select challenge_hash from passkey_challenge
      where expires_at <= $1
      limit $2 for update skip locked)`,
);

export const cleanChallenges = createCleaner(deleteExpiredChallenges);
