import { cleaner } from '../database/cleaner.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** The sealed answer of a token request, kept so that its retry gets the same bytes (decision 0007). */
export interface NewAnswer {
  /** SHA-256 over client, secret, `Idempotency-Key` and every parameter. */
  readonly requestHash: Buffer;
  readonly grantHash: string;
  /** SHA-256 of the token inside whose first use, or end, ends the answer. */
  readonly successorHash: string;
  /** AES-256-GCM under a key that only the request itself gives. */
  readonly sealed: Buffer;
  readonly expiresAt: Date;
}

/**
 * Notes that a kept answer was given again. Its refresh token is then known to two requests, so a second use of it is no
 * accident (decision 0007); the shop sees the count beside the approval.
 */
export async function recordRepeat(
  tx: Transaction,
  answer: { readonly successorHash: string; readonly grantHash: string },
  now: Date,
): Promise<void> {
  await tx.query(markRepeated, [answer.successorHash, answer.grantHash, now]);
}

export const markRepeated = statement(
  'mark_repeated',
  `with successor as (
     update oauth_artifact set payload = payload || '{"isRepeated": true}'
      where model = 'RefreshToken' and id = $1 and not payload ? 'isRepeated')
   update approval set repeats = repeats + 1, last_repeat_at = $3
    where grant_hash = $2 and ended_at is null`,
);

export const deleteExpiredAnswers = statement(
  'delete_expired_answers',
  `delete from oauth_answer where request_hash in (
     select request_hash from oauth_answer
      where expires_at <= $1
      order by expires_at
      limit $2 for update skip locked)`,
);

/** Deletes answers that have expired. */
export const cleanAnswers = cleaner(deleteExpiredAnswers);
