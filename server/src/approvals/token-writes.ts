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
 * Writes under the Grant's lock: in one statement that is sent with the commit, or, on Citus, in
 * several. If the token was already consumed, nothing is written and the transaction fails. A
 * consumed token keeps only what detects its reuse: a Grant may have 8,640 of them within 90 days.
 */
export async function writeTokens(
  tx: Transaction,
  { shopId, consumed, issued, response }: TokenWrites,
  now: Date,
): Promise<void> {
  const rows = issued.map(({ model, hash, payload, grantHash, expiresAt }) => {
    return { model, id: hash, payload, grant_hash: grantHash, expires_at: expiresAt };
  });
  const { requestHash, grantHash, successorHash, sealed, expiresAt } = response ?? NO_RESPONSE;
  const responseValues = [requestHash, grantHash, successorHash, sealed, expiresAt];
  const consumedValues = [consumed.model, consumed.hash, now];
  if (!(await tx.isDistributed())) {
    const values = [...consumedValues, JSON.stringify(rows), ...responseValues, shopId];
    tx.queryWithCommit(insertTokens, values, 1);
    return;
  }
  const spent = await tx.count(spendToken, [...consumedValues, requestHash, shopId]);
  if (spent !== 1) throw new Error('the token was already consumed');
  const source = [shopId, consumed.model, consumed.hash];
  await tx.query(insertIssuedTokens, [...source, JSON.stringify(rows)]);
  if (response !== null) await tx.query(keepAnswer, [shopId, ...responseValues]);
}

const NO_RESPONSE = {
  requestHash: null,
  grantHash: null,
  successorHash: null,
  sealed: null,
  expiresAt: null,
} as const;

/** $1 to $3 are the model, the hash and the time; the others have the given numbers. */
function spendSql(requestHash: number, shop: number): string {
  return `update oauth_artifact
        set consumed_at = $3,
            payload = payload - array['acr', 'amr', 'authTime', 'claims', 'expiresWithSession',
              'iiat', 'nonce', 'rotations', 'sessionUid', 'sid']
              || jsonb_strip_nulls(
                jsonb_build_object('spentBy', encode($${requestHash}::bytea, 'base64')))
      where shop_id = $${shop} and model = $1 and id = $2 and consumed_at is null`;
}

export const insertTokens = statement(
  'insert_tokens',
  `with spent as (${spendSql(5, 10)}
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

// The same writes for Citus. Each statement affects only the shop's shard (see upsert-on-citus.ts).

export const spendToken = statement('spend_token', spendSql(4, 5));

export const insertIssuedTokens = statement(
  'insert_issued_tokens',
  `insert into oauth_artifact (shop_id, model, id, payload, grant_hash, expires_at)
   select s.shop_id, m.model, m.id, m.payload, m.grant_hash, m.expires_at
     from oauth_artifact s, jsonb_to_recordset($4::jsonb)
       as m (model text, id text, payload jsonb, grant_hash text, expires_at timestamptz)
    where s.shop_id = $1 and s.model = $2 and s.id = $3`,
);

export const keepAnswer = statement(
  'keep_answer',
  `insert into oauth_answer (shop_id, request_hash, grant_hash, successor_id, sealed, expires_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict on constraint oauth_answer_pkey do update
     set grant_hash = excluded.grant_hash, successor_id = excluded.successor_id,
         sealed = excluded.sealed, expires_at = excluded.expires_at`,
);
