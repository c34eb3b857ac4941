import { cleaner } from '../database/cleaner.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/**
 * The sealed answer of a token request, stored so that a retry gets the identical response
 * (decision 0007).
 */
export interface StoredResponse {
  /** SHA-256 over client, secret, `Idempotency-Key` and every parameter. */
  readonly requestHash: Buffer;
  readonly grantHash: string;
  /**
   * SHA-256 of the new token in the answer. When that token is used or ends, the answer expires.
   */
  readonly successorHash: string;
  /** AES-256-GCM with a key that only the request can provide. */
  readonly sealed: Buffer;
  readonly expiresAt: Date;
}

/**
 * Records that a stored answer was sent again. Two requests then know its refresh token, so reusing
 * it is not an accident (decision 0007). The shop sees the count in the list of approvals.
 */
export async function recordReplay(
  tx: Transaction,
  response: { readonly successorHash: string; readonly grantHash: string },
  now: Date,
): Promise<void> {
  await tx.query(markRepeated, [response.successorHash, response.grantHash, now]);
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

export const cleanStoredResponses = cleaner(deleteExpiredAnswers);
