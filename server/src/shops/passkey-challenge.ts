import { createHmac, randomBytes } from 'node:crypto';
import { hashSecret, isSameSecret } from '../base/secrets.ts';
import { createCleaner } from '../database/cleaner.ts';
import type { Queryable } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** How long a challenge is valid: enough time to find a security key. */
export const CHALLENGE_SECONDS = 300;
/** Web Authentication §13.4.3 requires at least 16 random bytes. */
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;

/**
 * A challenge is random bytes, its expiry and their HMAC, in base64url. Only used challenges are
 * stored, so requests for challenges cannot push out those of others (decision 0213).
 */
export class PasskeyChallenges {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** The challenge is valid only for the same `purpose`. */
  issue(purpose: string, now: Date): string {
    const bytes = Buffer.alloc(RANDOM_BYTES + TIME_BYTES);
    randomBytes(RANDOM_BYTES).copy(bytes);
    bytes.writeUIntBE(now.getTime() + CHALLENGE_SECONDS * 1_000, RANDOM_BYTES, TIME_BYTES);
    return this.#sign(bytes, purpose);
  }

  /** Returns the time when the challenge expires, or null if it has expired or was not issued. */
  findExpiry(challenge: string, purpose: string, now: Date): Date | null {
    const bytes = Buffer.from(challenge, 'base64url').subarray(0, RANDOM_BYTES + TIME_BYTES);
    if (bytes.length < RANDOM_BYTES + TIME_BYTES) return null;
    if (!isSameSecret(challenge, this.#sign(bytes, purpose))) return null;
    const expiresAt = new Date(bytes.readUIntBE(RANDOM_BYTES, TIME_BYTES));
    return expiresAt > now ? expiresAt : null;
  }

  #sign(bytes: Buffer, purpose: string): string {
    const code = createHmac('sha256', this.#key).update(bytes).update(purpose).digest();
    return Buffer.concat([bytes, code]).toString('base64url');
  }
}

/** Records a verified challenge until it expires. False if it was used before, on any node. */
export async function useChallenge(
  db: Queryable,
  challenge: string,
  expiresAt: Date,
): Promise<boolean> {
  // Earlier versions store the hashes of unused challenges, and must not take this for one.
  return (await db.count(insertUsedChallenge, [hashSecret(`used ${challenge}`), expiresAt])) > 0;
}

export const insertUsedChallenge = statement(
  'insert_used_passkey_challenge',
  `insert into passkey_challenge (challenge_hash, expires_at) values ($1, $2)
   on conflict (challenge_hash) do nothing`,
);

export const deleteExpiredChallenges = statement(
  'delete_expired_passkey_challenges',
  `delete from passkey_challenge where challenge_hash in (
     select challenge_hash from passkey_challenge
      where expires_at <= $1
      limit $2 for update skip locked)`,
);

export const cleanChallenges = createCleaner(deleteExpiredChallenges);
