import type { Database } from '../database/database.ts';
import { statement } from '../database/statement.ts';
import type { SealedSecret, WebhookSecrets } from './webhook-secrets.ts';

const BATCH_ROWS = 200;
const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

/** Counts the webhooks with a secret that is not encrypted with the current key. */
export interface OutdatedSecrets {
  /** The number of webhooks with secrets that only `SECRET_KEY_PREVIOUS` can decrypt. */
  readonly underPrevious: number;
  /** Webhooks with secrets that this node cannot decrypt, so it cannot send their events. */
  readonly unreadable: number;
}

export async function countOutdatedSecrets(
  db: Database,
  { keyIds }: WebhookSecrets,
): Promise<OutdatedSecrets> {
  const row = await db.one(countSecretsByKey, [keyIds[0], keyIds]);
  if (row === undefined) throw new Error('a count has no row');
  return row;
}

/** Re-encrypts secrets under the previous key. Unreadable ones stay. Returns how many changed. */
export async function resealWebhookSecrets(
  db: Database,
  secrets: WebhookSecrets,
  signal: AbortSignal,
  batchRows: number = BATCH_ROWS,
): Promise<number> {
  const others = secrets.keyIds.slice(1);
  if (others.length === 0) return 0;
  let resealed = 0;
  let after: readonly [string, string] = [BEFORE_ALL_IDS, BEFORE_ALL_IDS];
  while (!signal.aborted) {
    const rows = await db.query(findSecretsToReseal, [others, ...after, batchRows]);
    for (const row of rows) {
      resealed += await resealOne(db, secrets, row);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batchRows) break;
    after = [last.shopId, last.connectionId];
  }
  return resealed;
}

/** Returns 0 if no secret could be decrypted or the row has changed. The next run tries again. */
async function resealOne(db: Database, secrets: WebhookSecrets, row: SecretRow): Promise<number> {
  const { shopId, connectionId, secretSealed, secretKeyId, previousSealed, previousKeyId } = row;
  const secret = reseal(secrets, row, secretSealed, secretKeyId);
  const previous = reseal(secrets, row, previousSealed, previousKeyId);
  // If only one of the two secrets can be decrypted, the other stays as it is.
  if (secret === undefined && previous === undefined) return 0;
  return await db.count(updateResealedSecrets, [
    shopId,
    connectionId,
    secretSealed,
    previousSealed,
    secret?.sealed ?? secretSealed,
    secret?.keyId ?? secretKeyId,
    previous?.sealed ?? previousSealed,
    previous?.keyId ?? previousKeyId,
  ]);
}

function reseal(
  secrets: WebhookSecrets,
  { shopId, connectionId }: SecretRow,
  sealed: Buffer | null,
  keyId: string | null,
): SealedSecret | undefined {
  if (sealed === null || keyId === null) return undefined;
  const secret = secrets.unseal(sealed, keyId, shopId, connectionId);
  return secret === undefined ? undefined : secrets.seal(secret, shopId, connectionId);
}

export async function deleteExpiredSecrets(
  db: Database,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  while (!signal.aborted) {
    const expired = await db.query(findExpiredSecrets, [BATCH_ROWS, now]);
    let count = 0;
    for (const { shopId, connectionId } of expired) {
      count += await db.count(deletePreviousSecret, [shopId, connectionId, now]);
    }
    deleted += count;
    if (count < BATCH_ROWS) break;
  }
  return deleted;
}

export const countSecretsByKey = statement<OutdatedSecrets>(
  'count_secrets_by_key',
  `select count(*) filter (where (secret_key_id <> $1::text and secret_key_id = any($2::text[]))
            or (previous_key_id <> $1::text and previous_key_id = any($2::text[]))) as "underPrevious",
          count(*) filter (where secret_key_id <> all($2::text[])) as unreadable
     from webhook where removed_at is null`,
);

interface SecretRow {
  readonly shopId: string;
  readonly connectionId: string;
  readonly secretSealed: Buffer;
  readonly secretKeyId: string;
  readonly previousSealed: Buffer | null;
  readonly previousKeyId: string | null;
}

export const findSecretsToReseal = statement<SecretRow>(
  'find_secrets_to_reseal',
  `select shop_id as "shopId", connection_id as "connectionId", secret_sealed as "secretSealed",
          secret_key_id as "secretKeyId", previous_sealed as "previousSealed", previous_key_id as "previousKeyId"
     from webhook
    where removed_at is null and (secret_key_id = any($1::text[]) or previous_key_id = any($1::text[]))
      and (shop_id, connection_id) > ($2::uuid, $3::uuid)
    order by shop_id, connection_id limit $4`,
);

// Changes the row only if it still has the secrets that were read.
export const updateResealedSecrets = statement(
  'update_resealed_secrets',
  `update webhook
      set secret_sealed = $5, secret_key_id = $6, previous_sealed = $7, previous_key_id = $8
    where shop_id = $1 and connection_id = $2
      and secret_sealed = $3::bytea and previous_sealed is not distinct from $4::bytea`,
);

export const findExpiredSecrets = statement<Pick<SecretRow, 'shopId' | 'connectionId'>>(
  'find_expired_secrets',
  `select shop_id as "shopId", connection_id as "connectionId" from webhook
    where previous_until <= $2
    order by shop_id, connection_id limit $1`,
);

// A locked row is left for the next run.
export const deletePreviousSecret = statement(
  'delete_previous_secret',
  `update webhook set previous_sealed = null, previous_key_id = null, previous_until = null
     from (
       select connection_id from webhook
        where shop_id = $1 and connection_id = $2 and previous_until <= $3
          for update skip locked
     ) expired
    where webhook.shop_id = $1 and webhook.connection_id = expired.connection_id`,
);
