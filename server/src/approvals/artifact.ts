import { createCleaner, createCleanerByEngine, createPerShopCleaner } from '../database/cleaner.ts';
import type { Queryable, Transaction } from '../database/database.ts';
import { hotRead, expectAtMostOneRow, statement } from '../database/statement.ts';

export type ArtifactModel =
  | 'Grant'
  | 'AuthorizationCode'
  | 'AccessToken'
  | 'RefreshToken'
  | 'Interaction';

/** A stored record of oidc-provider. `payload` is the library's data without the secret id. */
export interface Artifact {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly consumedAt: Date | null;
}

/** The primary key of an artifact, which belongs to the shop of its app. */
export interface ArtifactKey {
  readonly shopId: string;
  readonly model: ArtifactModel;
  /** SHA-256 of the id. */
  readonly hash: string;
}

export interface NewArtifact {
  readonly model: ArtifactModel;
  /** SHA-256 of the id. */
  readonly hash: string;
  readonly payload: Readonly<Record<string, unknown>>;
  /** SHA-256 of the Grant's id. It is also in the row of the Grant itself. */
  readonly grantHash: string | null;
  readonly expiresAt: Date | null;
}

export async function saveArtifact(
  db: Queryable,
  shopId: string,
  artifact: NewArtifact,
): Promise<void> {
  await db.query(upsertArtifact, [
    shopId,
    artifact.model,
    artifact.hash,
    JSON.stringify(artifact.payload),
    artifact.grantHash,
    artifact.expiresAt,
  ]);
}

/** Finds an unexpired artifact, even if it is consumed. */
export async function findArtifact(
  db: Queryable,
  { shopId, model, hash }: ArtifactKey,
  now: Date,
): Promise<Artifact | undefined> {
  return await db.one(selectArtifact, [shopId, model, hash, now]);
}

/** For interactions, whose ids lack the shop id. Citus then asks every worker. */
export async function findShopOfArtifact(
  db: Queryable,
  model: ArtifactModel,
  hash: string,
): Promise<string | undefined> {
  return (await db.one(selectShopOfArtifact, [model, hash]))?.shopId ?? undefined;
}

export async function deleteArtifact(
  db: Queryable,
  { shopId, model, hash }: ArtifactKey,
): Promise<void> {
  await db.query(deleteOneArtifact, [shopId, model, hash]);
}

/** Locks an interaction until the transaction ends, so that a repeated form has no effect. */
export async function lockInteraction(
  tx: Transaction,
  { shopId, hash }: ArtifactKey,
): Promise<void> {
  await tx.query(lockOneInteraction, [shopId, hash]);
}

/** A code or refresh token, with all state that decides whether it may be exchanged. */
export interface TokenToExchange {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly consumedAt: Date | null;
  readonly expiresAt: Date;
  /** True if the current request is a repetition of the one that consumed the token. */
  readonly isSpentBySame: boolean;
  /** True if the response with this token was sent twice, so two requests may have received it. */
  readonly isRepeated: boolean;
  readonly grantPayload: Readonly<Record<string, unknown>> | null;
  /** This and the following three fields are null if the approval has ended. */
  readonly approvalId: string | null;
  readonly accountId: string | null;
  readonly accountName: string | null;
  readonly isMemberActive: boolean | null;
  /** The sealed response to an identical earlier request, if its new token is still unused. */
  readonly sealed: Buffer | null;
  /** SHA-256 of the new token in the sealed response. */
  readonly successorHash: string | null;
  readonly grantHash: string | null;
  /** When the database was last restored from a backup. */
  readonly restoredAt: Date | null;
}

/**
 * Locks the Grant, so that only one token request of it runs at a time across all nodes. A second
 * statement, sent together with the first, reads the token, because it must see what other
 * transactions committed while the first waited for the lock.
 */
export async function lockTokenToExchange(
  tx: Transaction,
  { shopId, model, hash, requestHash }: TokenToExchangeQuery,
  now: Date,
): Promise<TokenToExchange | undefined> {
  const [, rows] = await Promise.all([
    tx.query(lockGrantOfArtifact, [shopId, model, hash]),
    tx.queryPipelined(selectTokenToExchange, [model, hash, now, requestHash, shopId]),
  ]);
  return expectAtMostOneRow(selectTokenToExchange, rows);
}

export interface TokenToExchangeQuery extends ArtifactKey {
  /** SHA-256 of the request. It is empty if no response is stored for the request. */
  readonly requestHash: Buffer;
}

/** Only for the emulator. The caller announces the change of access. */
export const expireArtifacts = statement(
  'expire_artifacts',
  `update oauth_artifact set expires_at = $2 where model = $1 and expires_at > $2`,
);

export const upsertArtifact = statement(
  'upsert_artifact',
  `insert into oauth_artifact (shop_id, model, id, payload, grant_hash, expires_at)
   values ($1, $2, $3, $4, $5, $6)
   on conflict on constraint oauth_artifact_pkey do update
     set payload = excluded.payload, grant_hash = excluded.grant_hash,
         expires_at = excluded.expires_at`,
);

export const selectArtifact = statement<Artifact>(
  'select_artifact',
  `select payload, consumed_at as "consumedAt"
     from oauth_artifact
    where shop_id = $1 and model = $2 and id = $3 and (expires_at is null or expires_at > $4)`,
);

export const selectShopOfArtifact = hotRead<{ readonly shopId: string | null }>(
  'select_shop_of_artifact',
  `select shop_id as "shopId" from oauth_artifact where model = $1 and id = $2`,
);

export const deleteOneArtifact = statement(
  'delete_one_artifact',
  `delete from oauth_artifact where shop_id = $1 and model = $2 and id = $3`,
);

export const lockOneInteraction = statement(
  'lock_one_interaction',
  `select from oauth_artifact
    where shop_id = $1 and model = 'Interaction' and id = $2 for update`,
);

export const lockGrantOfArtifact = statement(
  'lock_grant_of_artifact',
  `select from oauth_artifact
    where shop_id = $1 and model = 'Grant'
      and id = (
        select grant_hash from oauth_artifact where shop_id = $1 and model = $2 and id = $3)
      for update`,
);

export const selectTokenToExchange = statement<TokenToExchange>(
  'select_token_to_exchange',
  `select t.payload, t.consumed_at as "consumedAt", t.expires_at as "expiresAt",
          coalesce(t.payload->>'spentBy' = encode($4, 'base64'), false) as "isSpentBySame",
          t.payload ? 'isRepeated' as "isRepeated", g.payload as "grantPayload",
          p.approval_id as "approvalId", p.account_id as "accountId",
          c.name as "accountName", m.is_active as "isMemberActive",
          a.sealed, a.successor_id as "successorHash", t.grant_hash as "grantHash",
          (select max(restored_at) from restore) as "restoredAt"
     from oauth_artifact t
     left join oauth_artifact g on g.shop_id = $5 and g.model = 'Grant' and g.id = t.grant_hash
     left join approval p
       on p.shop_id = $5 and p.grant_hash = t.grant_hash and p.ended_at is null
     left join member m on m.shop_id = $5 and m.account_id = p.account_id
     left join account c on c.account_id = p.account_id
     left join oauth_answer a on a.shop_id = $5 and a.request_hash = $4 and a.expires_at > $3
      and exists (
        select from oauth_artifact s
         where s.shop_id = $5 and s.model in ('RefreshToken', 'AccessToken') and s.id = a.successor_id
           and s.consumed_at is null)
    where t.shop_id = $5 and t.model = $1 and t.id = $2 and t.expires_at > $3`,
);

export const deleteExpiredArtifacts = statement(
  'delete_expired_artifacts',
  `delete from oauth_artifact where (model, id) in (
     select model, id from oauth_artifact
      where expires_at <= $1
      order by expires_at
      limit $2 for update skip locked)`,
);

export const selectShopsOfExpiredArtifacts = statement<{ readonly shopId: string }>(
  'select_shops_of_expired_artifacts',
  `select distinct shop_id as "shopId" from (
     select shop_id from oauth_artifact
      where shop_id is not null and expires_at <= $1
      order by expires_at limit $2) expired`,
);

export const deleteExpiredArtifactsOfShop = statement(
  'delete_expired_artifacts_of_shop',
  `delete from oauth_artifact where shop_id = $1 and (model, id) in (
     select model, id from oauth_artifact
      where shop_id = $1 and expires_at <= $2
      order by expires_at
      limit $3 for update skip locked)`,
);

export const cleanArtifacts = createCleanerByEngine({
  ofAll: createCleaner(deleteExpiredArtifacts),
  ofShops: createPerShopCleaner(selectShopsOfExpiredArtifacts, deleteExpiredArtifactsOfShop),
});
