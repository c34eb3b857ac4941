import { createCleaner, createCleanerByEngine, createPerShopCleaner } from '../database/cleaner.ts';
import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';

/** The sealed response to a token request, so that a retry gets the same one (decision 0007). */
export interface StoredResponse {
  /** SHA-256 of the client id, `Idempotency-Key` and every parameter. */
  readonly requestHash: Buffer;
  readonly grantHash: string;
  /** SHA-256 of the new token. The response expires when that token is used or ends. */
  readonly successorHash: string;
  /** The response, sealed by AES-256-GCM with a key that only the request can provide. */
  readonly sealed: Buffer;
  readonly expiresAt: Date;
}

/**
 * Records that a stored response was sent again. Two requests may then have its refresh token, so a
 * later reuse of the token is tolerated for a shorter time (decision 0007).
 */
export async function recordReplay(
  tx: Transaction,
  shopId: string,
  response: { readonly successorHash: string; readonly grantHash: string },
  now: Date,
): Promise<void> {
  await tx.query(markRepeated, [shopId, response.successorHash, response.grantHash, now]);
}

export const markRepeated = statement(
  'mark_repeated',
  `with successor as (
     update oauth_artifact set payload = payload || '{"isRepeated": true}'
      where shop_id = $1 and model = 'RefreshToken' and id = $2 and not payload ? 'isRepeated')
   update approval set repeats = repeats + 1, last_repeat_at = $4
    where shop_id = $1 and grant_hash = $3 and ended_at is null`,
);

export const deleteExpiredStoredResponses = statement(
  'delete_expired_stored_responses',
  `delete from oauth_answer where request_hash in (
     select request_hash from oauth_answer
      where expires_at <= $1
      order by expires_at
      limit $2 for update skip locked)`,
);

export const selectShopsOfExpiredStoredResponses = statement<{ readonly shopId: string }>(
  'select_shops_of_expired_stored_responses',
  `select distinct shop_id as "shopId" from (
     select shop_id from oauth_answer
      where shop_id is not null and expires_at <= $1
      order by expires_at limit $2) expired`,
);

export const deleteExpiredStoredResponsesOfShop = statement(
  'delete_expired_stored_responses_of_shop',
  `delete from oauth_answer where shop_id = $1 and request_hash in (
     select request_hash from oauth_answer
      where shop_id = $1 and expires_at <= $2
      order by expires_at
      limit $3 for update skip locked)`,
);

export const cleanStoredResponses = createCleanerByEngine({
  ofAll: createCleaner(deleteExpiredStoredResponses),
  ofShops: createPerShopCleaner(
    selectShopsOfExpiredStoredResponses,
    deleteExpiredStoredResponsesOfShop,
  ),
});
