import type { Transaction } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { StoredResponse } from './stored-response.ts';
import type { ArtifactModel, NewArtifact } from './artifact.ts';

/** All writes of a token request: the consumed token or code, the new tokens and the response. */
export interface TokenWrites {
  readonly shopId: string;
  readonly consumed: { readonly model: ArtifactModel; readonly hash: string };
  readonly issued: readonly NewArtifact[];
  readonly response: StoredResponse | null;
}

/**
 * Writes everything in one statement, which is sent with the commit, under the Grant's lock. If the
 * token was already consumed, nothing is written and the transaction fails. A consumed token keeps
 * only the data that detects its reuse, because a Grant may have up to 8,640 consumed refresh
 * tokens within 90 days.
 */
export function writeTokens(
  tx: Transaction,
  { shopId, consumed, issued, response }: TokenWrites,
  now: Date,
): void {
  const rows = issued.map(({ model, hash, payload, grantHash, expiresAt }) => {
    return { model, id: hash, payload, grant_hash: grantHash, expires_at: expiresAt };
  });
  const { requestHash, grantHash, successorHash, sealed, expiresAt } = response ?? NO_RESPONSE;
  const responseValues = [requestHash, grantHash, successorHash, sealed, expiresAt];
  const consumedValues = [consumed.model, consumed.hash, now];
  const values = [...consumedValues, JSON.stringify(rows), ...responseValues, shopId];
  tx.queryWithCommit(insertTokens, values, 1);
}

const NO_RESPONSE = {
  requestHash: null,
  grantHash: null,
  successorHash: null,
  sealed: null,
  expiresAt: null,
} as const;

export const insertTokens = statement(
  'insert_tokens',
  `with spent as (
     update oauth_artifact
        set consumed_at = $3,
            payload = payload - array['acr', 'amr', 'authTime', 'claims', 'expiresWithSession',
              'iiat', 'nonce', 'rotations', 'sessionUid', 'sid']
              || case when $5::bytea is null then '{}'
                 else jsonb_build_object('spentBy', encode($5, 'base64')) end
      where shop_id = $10 and model = $1 and id = $2 and consumed_at is null
     returning id
   ), made as (
     insert into oauth_artifact (shop_id, model, id, payload, grant_hash, expires_at)
     select $10, m.model, m.id, m.payload, m.grant_hash, m.expires_at
       from spent, jsonb_to_recordset($4::jsonb)
         as m (model text, id text, payload jsonb, grant_hash text, expires_at timestamptz)
   ), kept as (
     insert into oauth_answer (shop_id, request_hash, grant_hash, successor_id, sealed, expires_at)
     select $10, $5::bytea, $6::text, $7::text, $8::bytea, $9::timestamptz
       from spent where $5::bytea is not null
     on conflict on constraint oauth_answer_pkey do update
       set grant_hash = excluded.grant_hash, successor_id = excluded.successor_id,
           sealed = excluded.sealed, expires_at = excluded.expires_at
   )
   select from spent`,
);
